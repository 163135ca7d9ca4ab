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

// typeOf returns the type of a value in the text of a schema.
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

// statedTypes returns the types that the keywords of n itself leave, without those
// of the schemas it applies.
func (d draft) statedTypes(n *node) types {
	t := everything
	if name := n.get("type"); name != nil {
		t = namedTypes(name)
	}
	if values := n.elements("enum"); len(values) > 0 {
		var listed types
		for _, value := range values {
			listed |= typeOf(value)
		}
		t &= listed
	}
	if value := n.get("const"); value != nil && !d.noConst {
		t &= typeOf(value)
	}
	return t
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
