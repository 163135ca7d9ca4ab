package frontmatter

import "go.yaml.in/yaml/v4"

// Texts returns the value with every scalar as its text.
func (v Value) Texts() any { return texts(v.node) }

func texts(n *yaml.Node) any {
	n = followed(n)
	switch n.Kind {
	case yaml.MappingNode:
		all := map[string]any{}
		for key, value := range pairs(n) {
			all[key.Value] = texts(value)
		}
		return all
	case yaml.SequenceNode:
		all := []any{}
		for _, element := range n.Content {
			all = append(all, texts(element))
		}
		return all
	}
	return n.Value
}
