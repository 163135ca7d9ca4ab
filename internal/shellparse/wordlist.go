package shellparse

import "strings"

// has reports whether list, whose words are separated by one blank, contains name.
func has(list, name string) bool {
	if name == "" || strings.Contains(name, " ") {
		return false
	}
	for at := 0; ; at++ {
		n := strings.Index(list[at:], name)
		if n < 0 {
			return false
		}
		at += n
		end := at + len(name)
		if (at == 0 || list[at-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
	}
}

// markOf looks a name up in a list whose words end in one of marks or in none. It
// returns the mark of the word.
func markOf(list, name, marks string) (mark string, ok bool) {
	for word := range strings.FieldsSeq(list) {
		if mark, ok := strings.CutPrefix(word, name); ok && len(mark) < 2 && strings.Contains(marks, mark) {
			return mark, true
		}
	}
	return "", false
}

// wordSet returns the words of a list that is too long for [has].
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
