package strictjson

import "github.com/seed49eaa51d/pegboard/internal/jsonscan"

// PathAt returns the path of the innermost value of a valid text that the byte before
// offset belongs to, which is how encoding/json tells which value it could not store.
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

// startBefore steps over a value. It returns where that starts, or -1 if the byte
// before offset is not in it.
func startBefore(s *jsonscan.Scanner, offset int) int {
	s.Next()
	start := s.Pos
	if s.Value(); start < offset && offset <= s.Pos {
		return start
	}
	return -1
}
