package frontmatter

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A limiter checks that a tree of nodes can be decoded: that it is no larger than the limits,
// and has nothing that readers of YAML understand in several ways.
type limiter struct {
	nodes int
	bytes int // of texts
}

// check checks a value below depth lists and maps. Aliases are followed, so that the work of
// everything that walks the tree is bounded. One that is part of itself ends at MaxDepth.
func (l *limiter) check(n *yaml.Node, depth int) error {
	l.nodes++
	l.bytes += len(n.Value)
	switch {
	case l.bytes > MaxBytes:
		return errorAt(lineOf(n), "the head has more than %d bytes, those of aliases counted; write less", MaxBytes)
	case l.nodes > MaxNodes:
		return errorAt(lineOf(n), "the head has more than %d values, those of aliases counted; write less", MaxNodes)
	case depth > MaxDepth:
		return errorAt(lineOf(n), "the head is nested more than %d levels deep", MaxDepth)
	case n.Kind == yaml.AliasNode:
		return l.check(n.Alias, depth+1)
	case n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!str":
		return errorAt(lineOf(n), "the tag %s is not supported; write the value without it", strictjson.Cut(n.Tag))
	}
	if n.Kind == yaml.MappingNode {
		if err := checkKeys(n); err != nil {
			return err
		}
	}
	for _, child := range n.Content {
		if err := l.check(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys checks the keys of a map.
func checkKeys(n *yaml.Node) error {
	seen := map[string]int{}
	for key := range pairs(n) {
		switch first, again := seen[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			return errorAt(lineOf(key), "a key is %s; write a text", describe(key))
		case key.ShortTag() == "!!merge":
			return errorAt(lineOf(key), "the merge key << is not supported; write its keys out")
		case strings.TrimSpace(key.Value) == "":
			return errorAt(lineOf(key), "a key is empty; write its name before the colon")
		case again:
			return errorAt(lineOf(key), "the key %s is there twice, in line %d, too; leave one", strictjson.Quote(key.Value), first)
		}
		seen[key.Value] = lineOf(key)
	}
	return nil
}
