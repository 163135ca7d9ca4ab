package grep

import (
	"unicode"
)

// perlClass returns the set that \d, \s, \w or their opposites stand for.
func perlClass(c byte, ascii bool) (set, bool) {
	var s set
	switch c | 0x20 {
	case 'w':
		s = wordSet(ascii)
	case 'd':
		s = set{'0', '9'}
		if !ascii {
			s = tables(unicode.Nd)
		}
	case 's':
		s = set{'\t', '\r', ' ', ' '}
		if !ascii {
			s = tables(unicode.White_Space)
		}
	default:
		return nil, false
	}
	if c&0x20 == 0 {
		s = s.negated()
	}
	return s, true
}

// posixClass returns the set of a class such as alpha.
func posixClass(name string) (set, bool) {
	switch name {
	case "alnum":
		return set{'0', '9', 'A', 'Z', 'a', 'z'}, true
	case "alpha":
		return set{'A', 'Z', 'a', 'z'}, true
	case "ascii":
		return set{0, 0x7f}, true
	case "blank":
		return set{'\t', '\t', ' ', ' '}, true
	case "cntrl":
		return set{0, 0x1f, 0x7f, 0x7f}, true
	case "digit":
		return set{'0', '9'}, true
	case "graph":
		return set{'!', '~'}, true
	case "lower":
		return set{'a', 'z'}, true
	case "print":
		return set{' ', '~'}, true
	case "punct":
		return set{'!', '/', ':', '@', '[', '`', '{', '~'}, true
	case "space":
		return set{'\t', '\r', ' ', ' '}, true
	case "upper":
		return set{'A', 'Z'}, true
	case "word":
		return wordSet(true), true
	case "xdigit":
		return set{'0', '9', 'A', 'F', 'a', 'f'}, true
	}
	return nil, false
}

// wordSet returns the characters of words.
func wordSet(ascii bool) set {
	if ascii {
		return set{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	}
	return append(alphabetic(), tables(unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control)...).canonical()
}

func alphabetic() set {
	return tables(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
}
