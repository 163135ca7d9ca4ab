package shellparse

import "strings"

// awkFiles returns the files that an awk program names by strings: after > and <, and
// strings assigned to a variable, which may name a file later. Names composed in other
// ways are not found.
func awkFiles(program string) []file {
	var files []file
	for i := 0; i < len(program); i++ {
		f := file{}
		switch c := program[i]; {
		case c == '>':
			f.write = true
		case c == '=' && (i == 0 || !strings.ContainsRune("=!<>~", rune(program[i-1]))):
			f.write, f.guess = true, true
		case c != '<':
			continue
		}
		if f.arg = awkString(strings.TrimLeft(program[i+1:], " \t\n\\(")); f.value == "" || f.value == "-" {
			continue
		}
		files = append(files, f)
		if f.guess {
			f.write = false
			files = append(files, f)
		}
	}
	return files
}

// awkString returns the string at the start of a piece of a program. It is a pattern if
// an unknown text may follow, and empty if there is no string.
func awkString(program string) arg {
	var text strings.Builder
	for strings.HasPrefix(program, `"`) {
		body, rest, ok := cutDelimited(program[1:], '"')
		if !ok {
			return arg{}
		}
		plain, ok := unquoteDollar(strings.ReplaceAll(body, `\/`, "/"))
		if !ok {
			plain = body
		}
		text.WriteString(plain)
		program = strings.TrimLeft(rest, " \t")
	}
	a := literalArg(text.String())
	if a.value != "" && program != "" && !strings.ContainsAny(program[:1], ";})\n#,&|") {
		a.value, a.glob = escapeGlob(a.value)+"*", true
	}
	return a
}

// addAwkGuesses adds the files that the program of an awk may read and write. If a flag
// is not known, any operand may be the program.
func (e *effect) addAwkGuesses(p parsedArgs) {
	for _, a := range p.operands {
		if a.isLiteral() {
			e.files = append(e.files, awkFiles(a.value)...)
		}
	}
	for _, v := range p.flagValues("-v") {
		if _, value, ok := strings.Cut(v.value, "="); ok && v.isLiteral() && value != "" {
			e.files = append(e.files, file{arg: literalArg(value), guess: true}, file{arg: literalArg(value), guess: true, write: true})
		}
	}
}
