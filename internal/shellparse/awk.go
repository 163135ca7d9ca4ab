package shellparse

import "strings"

// awkHidden are words that let a program of awk run something, read a file that
// is no operand, or see the environment. Their text is enough to refuse it,
// wherever it stands.
var awkHidden = []string{"system", "getline", "ENVIRON", "ARGV", "ARGC", "PROCINFO", "SYMTAB", "FUNCTAB",
	"extension", "@"}

// awkReads reports whether a program of awk does nothing but read its files and
// print. It knows POSIX awk and what GNU awk adds to it, and refuses what awks
// read in different ways.
func awkReads(program string) bool {
	for _, word := range awkHidden {
		if strings.Contains(program, word) {
			return false
		}
	}
	p := awkProgram{text: program, operand: true}
	for p.text != "" {
		if !p.token() {
			return false
		}
	}
	return len(p.open) == 0
}

// An awkProgram is what is left to read of a program.
type awkProgram struct {
	text string
	// operand says that a value may come next, so that a slash begins a regular
	// expression. After a value it divides.
	operand  bool
	printing bool   // in a print statement, where > names a file
	open     []byte // the brackets that are open; 'c' is the ( of a condition
	keyword  bool   // the word before was if, while or for
}

// token reads one token.
func (p *awkProgram) token() bool {
	c := p.text[0]
	keyword := p.keyword
	p.keyword = false
	switch {
	case c == ' ' || c == '\t' || c == '\n':
		p.text = p.text[1:]
		p.operand = p.operand || c == '\n' // a value does not reach over the end of a line
		p.keyword = keyword
		return true
	case strings.HasPrefix(p.text, "\\\n"):
		p.text = p.text[2:]
		return true
	case c == '#':
		var comment string
		comment, p.text, _ = strings.Cut(p.text, "\n")
		p.operand = true
		return !strings.HasSuffix(comment, `\`) // which only some take to the next line
	case c == '"':
		return p.quoted()
	case c == '/' && p.operand:
		return p.regexp()
	case isName(p.text[:1]):
		return p.word()
	case '0' <= c && c <= '9' || c == '.':
		return p.number()
	case c == '(' && keyword:
		p.open, p.operand, p.text = append(p.open, 'c'), true, p.text[1:]
		return true
	case strings.IndexByte("([{", c) >= 0:
		p.open, p.operand, p.text = append(p.open, c), true, p.text[1:]
		return true
	case strings.IndexByte(")]}", c) >= 0:
		return p.close(c)
	}
	return p.operator()
}

func (p *awkProgram) quoted() bool {
	body, rest, ok := delimited(p.text[1:], '"')
	p.text, p.operand = rest, false
	return ok && !strings.Contains(body, "\n")
}

func (p *awkProgram) regexp() bool {
	body, rest, ok := delimited(p.text[1:], '/')
	p.text, p.operand = rest, false
	return ok && closed(body) && !strings.Contains(body, "\n")
}

// word reads a name.
func (p *awkProgram) word() bool {
	n := 1
	for n < len(p.text) && isName(p.text[:n+1]) {
		n++
	}
	word := p.text[:n]
	p.text = p.text[n:]
	p.operand = has("print printf return in case else do", word)
	if word == "print" || word == "printf" {
		if !p.statement() {
			return false // some awks take a statement in the brackets of for
		}
		p.printing = true
	}
	p.keyword = has("if while for", word)
	// After these a slash may divide or begin an expression.
	return !has("length exit delete", word) || !strings.HasPrefix(strings.TrimLeft(p.text, " \t"), "/")
}

// number reads a number, which no name follows at once.
func (p *awkProgram) number() bool {
	rest := strings.TrimLeft(p.text, "0123456789")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "."), "0123456789")
	alone := rest == "" || !isName(rest[:1]) && rest[0] != '.'
	digits := len(rest) < len(p.text) && p.text[:len(p.text)-len(rest)] != "."
	p.text, p.operand = rest, false
	return digits && alone
}

// close takes a closing bracket.
func (p *awkProgram) close(c byte) bool {
	if len(p.open) == 0 {
		return false
	}
	open := p.open[len(p.open)-1]
	p.open, p.text = p.open[:len(p.open)-1], p.text[1:]
	switch c {
	case ')':
		p.operand = open == 'c'
		return open == '(' || open == 'c'
	case ']':
		p.operand = false
		return open == '['
	}
	p.operand, p.printing = true, false
	return open == '{'
}

// operator reads an operator. A file or a command can only be named after one.
func (p *awkProgram) operator() bool {
	for _, op := range []string{"&&", "||", "==", "!=", "<=", ">=", "!~", "+=", "-=", "*=", "/=", "%=", "^=", "**"} {
		if rest, ok := strings.CutPrefix(p.text, op); ok && (op != ">=" || !p.prints()) {
			p.text, p.operand = rest, true
			return true
		}
	}
	switch c := p.text[0]; c {
	case ';':
		p.printing = p.printing && len(p.open) > 0 && p.open[len(p.open)-1] != '{'
	case '>':
		if p.prints() {
			return false
		}
	case '+', '-':
		// After "++" a slash may divide or begin an expression.
		if len(p.text) > 2 && p.text[1] == c && strings.HasPrefix(strings.TrimLeft(p.text[2:], " \t\\\n"), "/") {
			return false
		}
	case '<', '=', '!', '~', '*', '/', '%', '^', '?', ':', ',', '$':
	default:
		return false
	}
	p.text, p.operand = p.text[1:], true
	return true
}

// prints reports whether a > would name a file here. In brackets it compares.
func (p *awkProgram) prints() bool {
	return p.printing && p.statement()
}

// statement reports whether no bracket but those of blocks is open.
func (p *awkProgram) statement() bool { return len(p.open) == 0 || p.open[len(p.open)-1] == '{' }
