package jsonedit

import "slices"

// A Member is one key of an object with its value.
type Member struct {
	Key   string
	Start int  // of the key's opening quote
	Colon Span // from the end of the key to the value
	Value Span
}

// span returns the range of the member with its key.
func (m Member) span() Span { return Span{m.Start, m.Value.End} }

// memberSpans returns the ranges of members.
func memberSpans(all []Member) []Span {
	parts := make([]Span, len(all))
	for i, m := range all {
		parts[i] = m.span()
	}
	return parts
}

// Find returns the value of a key: the last one if the object repeats the key, as most
// readers do. The span is empty if the key is missing.
func Find(all []Member, key string) Span {
	if i := IndexOf(all, key); i >= 0 {
		return all[i].Value
	}
	return Span{}
}

// IndexOf returns the index of the last member with that key, or -1.
func IndexOf(all []Member, key string) int {
	for i, m := range slices.Backward(all) {
		if m.Key == key {
			return i
		}
	}
	return -1
}

// Repeated returns the first of those keys that the object has more than once.
func Repeated(all []Member, keys ...string) (key string, twice bool) {
	for _, key := range keys {
		first := slices.IndexFunc(all, func(m Member) bool { return m.Key == key })
		if first != IndexOf(all, key) {
			return key, true
		}
	}
	return "", false
}
