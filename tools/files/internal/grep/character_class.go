package grep

import "unicode"

// perlSet returns the class for which \d, \s, \w or one of their opposites stands.
func perlSet(c byte, ascii bool) (runeSet, bool) {
	var s runeSet
	switch c | 0x20 {
	case 'w':
		s = wordSet(ascii)
	case 'd':
		s = runeSet{'0', '9'}
		if !ascii {
			s = tableSet(unicode.Nd)
		}
	case 's':
		s = runeSet{'\t', '\r', ' ', ' '}
		if !ascii {
			s = tableSet(unicode.White_Space)
		}
	default:
		return nil, false
	}
	if c&0x20 == 0 {
		s = s.negated()
	}
	return s, true
}

// posixSet returns the characters of a POSIX class such as alpha.
func posixSet(name string) (runeSet, bool) {
	switch name {
	case "alnum":
		return runeSet{'0', '9', 'A', 'Z', 'a', 'z'}, true
	case "alpha":
		return runeSet{'A', 'Z', 'a', 'z'}, true
	case "ascii":
		return runeSet{0, 0x7f}, true
	case "blank":
		return runeSet{'\t', '\t', ' ', ' '}, true
	case "cntrl":
		return runeSet{0, 0x1f, 0x7f, 0x7f}, true
	case "digit":
		return runeSet{'0', '9'}, true
	case "graph":
		return runeSet{'!', '~'}, true
	case "lower":
		return runeSet{'a', 'z'}, true
	case "print":
		return runeSet{' ', '~'}, true
	case "punct":
		return runeSet{'!', '/', ':', '@', '[', '`', '{', '~'}, true
	case "space":
		return runeSet{'\t', '\r', ' ', ' '}, true
	case "upper":
		return runeSet{'A', 'Z'}, true
	case "word":
		return wordSet(true), true
	case "xdigit":
		return runeSet{'0', '9', 'A', 'F', 'a', 'f'}, true
	}
	return nil, false
}

// wordSet returns the characters that \w matches.
func wordSet(ascii bool) runeSet {
	if ascii {
		return runeSet{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	}
	return append(alphabetic(), tableSet(unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control)...).canonical()
}

func alphabetic() runeSet {
	return tableSet(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
}
