package strictjson

import (
	"strconv"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// AppendKey returns the path of a member of the object at parent: parent.key, or
// parent["key"] if the key is not a plain word. The path of the root is "".
func AppendKey(parent, key string) string {
	if !isWord(key) {
		return parent + "[" + Quote(key) + "]"
	}
	return Join(parent, key)
}

// AppendIndex returns the path of an element of the list at parent: parent[index].
func AppendIndex(parent string, index int) string {
	return parent + "[" + strconv.Itoa(index) + "]"
}

// Join returns the path from the root, given the path of a value and a path inside it.
func Join(parent, child string) string {
	if parent == "" || child == "" || child[0] == '[' {
		return parent + child
	}
	return parent + "." + child
}

// isWord reports whether a key can stand in a path without quotes.
func isWord(key string) bool {
	for _, r := range key {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r == '$':
		default:
			return false
		}
	}
	return key != "" && len(key) <= maxQuoted
}

// PathAt returns the path of the innermost value of a valid text that contains the byte
// before offset. encoding/json reports such an offset for a value that it could not store.
func PathAt(text []byte, offset int) string {
	path := ""
	s := jsonscan.Scanner{Text: text}
	for {
		s.Next()
		next, start := "", -1
		switch s.Text[s.Pos] {
		case '{':
			s.Pos++
			for start < 0 && s.More() {
				key := s.Value()
				if start = startBefore(&s, offset); start >= 0 {
					next = AppendKey(path, jsonscan.Unquote(key))
				}
			}
		case '[':
			s.Pos++
			for i := 0; start < 0 && s.More(); i++ {
				if start = startBefore(&s, offset); start >= 0 {
					next = AppendIndex(path, i)
				}
			}
		}
		if start < 0 {
			return path
		}
		path, s.Pos = next, start
	}
}

// startBefore steps over a value. It returns the offset of the value's start if the value
// contains the byte before offset, and otherwise -1.
func startBefore(s *jsonscan.Scanner, offset int) int {
	s.Next()
	start := s.Pos
	if s.Value(); start < offset && offset <= s.Pos {
		return start
	}
	return -1
}
