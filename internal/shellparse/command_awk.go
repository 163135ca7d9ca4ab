package shellparse

import (
	"strings"
)

// awkSpec takes a program and files. Files that hold programs are not read here.
var awkSpec = commandSpec{
	source: "POSIX awk, GNU awk 5.3 manual", operands: otherOperands, hasUnsafeFlags: true, flagsEndAtOperand: true,
	flags: "-F= -v=",
	post: func(p parsedArgs, e *effect) {
		if len(p.operands) == 0 {
			e.worsen(Unknown, "awk has no program")
			return
		}
		program := p.operands[0]
		switch {
		case !program.isLiteral():
			e.worsen(Unknown, "the program of awk is not known")
		case !awkOnlyReads(program.value):
			e.worsen(Unknown, "the program of awk may do more than read its files")
		}
		if e.class == Unknown || p.reason != "" {
			e.addAwkGuesses(p)
		}
		for _, a := range p.operands[1:] {
			if name, _, ok := strings.Cut(a.value, "="); !a.known || !ok || !isName(name) {
				e.addRead(a)
			}
		}
	},
}

// awkForbidden are words that let a program of awk run something, read a file that
// is no operand, or see the environment. Their text is enough to refuse it,
// wherever it stands.
var awkForbidden = []string{"system", "getline", "ENVIRON", "ARGV", "ARGC", "PROCINFO", "SYMTAB", "FUNCTAB",
	"extension", "@"}

const (
	// awkDisputed are words that some awks reserve. To the others each is the name
	// of a variable, and a slash after it divides.
	awkDisputed = "case switch default func BEGINFILE ENDFILE namespace"
	// awkReserved are words after which a slash may divide for one awk and begin an
	// expression for another, or after which no slash makes sense: words of the
	// language, and functions that need no brackets or that only some awks have.
	awkReserved = "BEGIN END function if for while do else in break continue next nextfile exit return delete print printf" +
		" atan2 close cos exp fflush gsub index int length log match rand sin split sprintf sqrt srand sub substr tolower toupper" +
		" and asort asorti bindtextdomain compl dcgettext dcngettext gensub isarray lshift mkbool mktime or ord patsplit rshift" +
		" strftime strtonum systime typeof xor"
)

// awkOnlyReads reports whether a program of awk does nothing but read its files and
// print. It knows POSIX awk and what GNU awk adds to it, and refuses what awks
// read in different ways.
func awkOnlyReads(program string) bool {
	for _, word := range awkForbidden {
		if strings.Contains(program, word) {
			return false
		}
	}
	p := awkProgram{text: program, slash: slashBegins}
	for p.text != "" {
		if !p.token() {
			return false
		}
	}
	return len(p.open) == 0
}

// An awkSlash is what a slash means at one place of a program.
type awkSlash int

const (
	slashUnclear awkSlash = iota // awks differ, or may
	slashDivides                 // a value stands before it
	slashBegins                  // it begins a regular expression: a value must come
	slashOpen                    // unclear, on the next line as well: a statement must come
)

// An awkProgram is what is left to read of a program.
type awkProgram struct {
	text     string
	slash    awkSlash
	printing bool   // in a print statement, where > names a file
	open     []byte // the brackets that are open; 'c' is the ( of a condition
	keyword  bool   // the word before was if, while or for
}

// token reads one token.
func (p *awkProgram) token() bool {
	c := p.text[0]
	switch {
	case c == ' ' || c == '\t':
		p.text = p.text[1:]
		return true
	case strings.HasPrefix(p.text, "\\\n"):
		p.text = p.text[2:]
		return true
	case c == '\n':
		return p.line()
	case c == '#':
		n := strings.IndexByte(p.text+"\n", '\n')
		comment := p.text[:n]
		p.text = p.text[n:]
		return !strings.HasSuffix(comment, `\`) // which only some take to the next line
	}
	keyword := p.keyword
	p.keyword = false
	switch {
	case keyword:
		return p.condition(c)
	case c == '"':
		return p.quoted()
	case c == '/' && p.slash != slashDivides:
		return p.slash == slashBegins && p.regexp()
	case isName(p.text[:1]):
		return p.word()
	case '0' <= c && c <= '9' || c == '.':
		return p.number()
	case strings.IndexByte("([{", c) >= 0:
		p.open, p.slash, p.text = append(p.open, c), slashBegins, p.text[1:]
		return true
	case strings.IndexByte(")]}", c) >= 0:
		return p.close(c)
	}
	return p.operator()
}

// line takes the end of a line. A value does not reach over it, and in brackets
// there is none behind a value.
func (p *awkProgram) line() bool {
	p.text = p.text[1:]
	if !p.inStatement() && p.slash != slashBegins {
		return false
	}
	if p.slash != slashOpen {
		p.slash = slashBegins
	}
	return true
}

// condition takes the bracket that must follow if, while and for.
func (p *awkProgram) condition(c byte) bool {
	p.open, p.slash, p.text = append(p.open, 'c'), slashBegins, p.text[1:]
	return c == '('
}

func (p *awkProgram) quoted() bool {
	body, rest, ok := cutDelimited(p.text[1:], '"')
	p.text, p.slash = rest, slashDivides
	return ok && !strings.Contains(body, "\n")
}

func (p *awkProgram) regexp() bool {
	body, rest, ok := cutDelimited(p.text[1:], '/')
	p.text, p.slash = rest, slashDivides
	return ok && bracketsClosed(body) && !strings.Contains(body, "\n")
}

// word reads a name.
func (p *awkProgram) word() bool {
	n := 1
	for n < len(p.text) && isName(p.text[:n+1]) {
		n++
	}
	word := p.text[:n]
	p.text = p.text[n:]
	switch {
	case has(awkDisputed, word):
		return false
	case !has(awkReserved, word):
		p.slash = slashDivides
		return true
	}
	p.slash = slashUnclear
	switch word {
	case "print", "printf":
		p.printing = true
		return p.inStatement() // some awks take a statement in the brackets of for
	case "if", "while", "for":
		p.keyword = true
	case "do", "else":
		p.slash = slashOpen
	}
	return true
}

// number reads a number, which no name follows at once.
func (p *awkProgram) number() bool {
	rest := strings.TrimLeft(p.text, "0123456789")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "."), "0123456789")
	alone := rest == "" || !isName(rest[:1]) && rest[0] != '.'
	digits := len(rest) < len(p.text) && p.text[:len(p.text)-len(rest)] != "."
	p.text, p.slash = rest, slashDivides
	return digits && alone
}

// close takes a closing bracket.
func (p *awkProgram) close(c byte) bool {
	if len(p.open) == 0 {
		return false
	}
	open := p.open[len(p.open)-1]
	p.open, p.text = p.open[:len(p.open)-1], p.text[1:]
	p.slash = slashDivides
	switch c {
	case ')':
		if open == 'c' {
			p.slash = slashOpen // some awks divide here
		}
		return open == '(' || open == 'c'
	case ']':
		return open == '['
	}
	p.slash, p.printing = slashBegins, false
	return open == '{'
}

// operator reads an operator. A file or a command can only be named after one.
func (p *awkProgram) operator() bool {
	for _, op := range []string{"++", "--"} {
		if rest, ok := strings.CutPrefix(p.text, op); ok {
			p.text, p.slash = rest, slashUnclear
			return true
		}
	}
	for _, op := range []string{"&&", "||", "==", "!=", "<=", ">=", "!~", "+=", "-=", "*=", "/=", "%=", "^=", "**"} {
		if rest, ok := strings.CutPrefix(p.text, op); ok && (op != ">=" || !p.mayNameOutput()) {
			p.text, p.slash = rest, slashBegins
			return true
		}
	}
	switch c := p.text[0]; c {
	case ';':
		p.printing = p.printing && len(p.open) > 0 && p.open[len(p.open)-1] != '{'
	case '>':
		if p.mayNameOutput() {
			return false
		}
	case ':':
		if strings.HasPrefix(p.text, "::") { // in the name of a namespace
			return false
		}
	case '+', '-', '<', '=', '!', '~', '*', '/', '%', '^', '?', ',', '$':
	default:
		return false
	}
	p.text, p.slash = p.text[1:], slashBegins
	return true
}

// mayNameOutput reports whether a > may name a file here. In round brackets it compares.
func (p *awkProgram) mayNameOutput() bool {
	return p.printing && (p.inStatement() || p.open[len(p.open)-1] == '[')
}

// inStatement reports whether no bracket but those of blocks is open.
func (p *awkProgram) inStatement() bool { return len(p.open) == 0 || p.open[len(p.open)-1] == '{' }
