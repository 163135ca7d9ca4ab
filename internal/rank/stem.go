package rank

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stem returns the stem of an English word by the Porter2 rules. The word is in lower
// case. A word with other characters than the letters a to z is returned as it is.
func stem(word []byte) []byte {
	if !isEnglish(word) {
		return word
	}
	env := snowballstem.NewEnv(string(word))
	english.Stem(env)
	return []byte(env.Current())
}

// isEnglish reports whether word has the letters a to z only.
func isEnglish(word []byte) bool {
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}
