package repair

// types is a set of JSON types.
type types uint8

const (
	object types = 1 << iota
	list
	text
	null
	scalar     // numbers and booleans
	everything = object | list | text | null | scalar
)

func typeNamed(name string) types {
	switch name {
	case "object":
		return object
	case "array":
		return list
	case "string":
		return text
	case "null":
		return null
	case "number", "integer", "boolean":
		return scalar
	default:
		return everything
	}
}

// typeOf returns the type of a value in a schema.
func typeOf(n *node) types {
	switch {
	case n.object != nil:
		return object
	case n.list != nil:
		return list
	case n.value == nil:
		return null
	}
	if _, ok := n.value.(string); ok {
		return text
	}
	return scalar
}

func namedTypes(n *node) types {
	if len(n.list) == 0 {
		name, _ := n.value.(string)
		return typeNamed(name)
	}
	var t types
	for _, item := range n.list {
		name, _ := item.value.(string)
		t |= typeNamed(name)
	}
	return t
}
