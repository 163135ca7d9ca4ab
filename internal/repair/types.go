package repair

// types is a set of JSON types.
type types uint8

const (
	object types = 1 << iota
	list
	text
	null
	integer
	fraction // a number that is not whole
	boolean
	number     = integer | fraction
	everything = object | list | text | null | number | boolean
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
	case "number":
		return number
	case "integer":
		return integer
	case "boolean":
		return boolean
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
	switch n.value.(type) {
	case string:
		return text
	case bool:
		return boolean
	}
	return number
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
