package shellparse

import "strings"

// awkSpec is for awk, whose operands are a program and files. Flags that read the
// program from a file are not listed.
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

// awkForbidden are words that let an awk program run something, read a file that is no
// operand, or see the environment. A program that contains one anywhere is refused.
var awkForbidden = []string{"system", "getline", "ENVIRON", "ARGV", "ARGC", "PROCINFO", "SYMTAB", "FUNCTAB",
	"extension", "@"}

const (
	// awkDisputed are words that only some awks reserve. For the others each names a
	// variable, and a slash after it divides.
	awkDisputed = "case switch default func BEGINFILE ENDFILE namespace"
	// awkReserved are words after which a slash divides for one awk and begins a
	// regular expression for another, or after which no slash makes sense: words of the
	// language, and functions that need no parentheses or that only some awks have.
	awkReserved = "BEGIN END function if for while do else in break continue next nextfile exit return delete print printf" +
		" atan2 close cos exp fflush gsub index int length log match rand sin split sprintf sqrt srand sub substr tolower toupper" +
		" and asort asorti bindtextdomain compl dcgettext dcngettext gensub isarray lshift mkbool mktime or ord patsplit rshift" +
		" strftime strtonum systime typeof xor"
)

// awkOnlyReads reports whether an awk program only reads its files and prints. It
// understands POSIX awk and the additions of GNU awk, and refuses programs that awks
// read differently.
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

// An awkSlash is the meaning of a slash at one place of a program.
type awkSlash int

const (
	slashUnclear awkSlash = iota // awks may disagree
	slashDivides                 // after a value
	slashBegins                  // begins a regular expression, since a value must follow
	slashOpen                    // unclear, also on the next line, since a statement must follow
)

// An awkProgram is the unread rest of a program.
type awkProgram struct {
	text     string
	slash    awkSlash
	printing bool   // inside a print statement, where > names a file
	open     []byte // open brackets; 'c' is the ( of a condition
	keyword  bool   // the previous word was if, while or for
}

// token reads one token. Like the methods below, it reports whether the program is
// still acceptable.
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
		return !strings.HasSuffix(comment, `\`) // some awks continue the comment on the next line
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

// line reads the end of a line. A value does not continue on the next line, and inside
// brackets no value may precede the end.
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

// condition reads the parenthesis that must follow if, while and for.
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
		return p.inStatement() // some awks accept a statement in the parentheses of for
	case "if", "while", "for":
		p.keyword = true
	case "do", "else":
		p.slash = slashOpen
	}
	return true
}

// number reads a number. A name must not follow it directly.
func (p *awkProgram) number() bool {
	rest := strings.TrimLeft(p.text, "0123456789")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "."), "0123456789")
	alone := rest == "" || !isName(rest[:1]) && rest[0] != '.'
	digits := len(rest) < len(p.text) && p.text[:len(p.text)-len(rest)] != "."
	p.text, p.slash = rest, slashDivides
	return digits && alone
}

// close reads a closing bracket.
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
			p.slash = slashOpen // for some awks a slash divides here
		}
		return open == '(' || open == 'c'
	case ']':
		return open == '['
	}
	p.slash, p.printing = slashBegins, false
	return open == '{'
}

// operator reads an operator. Only an operator can name a file or a command.
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
		if strings.HasPrefix(p.text, "::") { // in a name with a namespace
			return false
		}
	case '+', '-', '<', '=', '!', '~', '*', '/', '%', '^', '?', ',', '$':
	default:
		return false
	}
	p.text, p.slash = p.text[1:], slashBegins
	return true
}

// mayNameOutput reports whether > may name a file here. Inside parentheses it compares.
func (p *awkProgram) mayNameOutput() bool {
	return p.printing && (p.inStatement() || p.open[len(p.open)-1] == '[')
}

// inStatement reports whether the only open brackets are those of blocks.
func (p *awkProgram) inStatement() bool { return len(p.open) == 0 || p.open[len(p.open)-1] == '{' }

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

// The options of jq. Those that read a program or a module are left out. Source: jq 1.8
// manual, invoking jq.
const (
	jqLetters = "nrRscCMSaje"
	jqAlone   = "--null-input --raw-input --slurp --compact-output --raw-output --raw-output0 --join-output --ascii-output" +
		" --sort-keys --color-output --monochrome-output --tab --unbuffered --stream --stream-errors --seq --exit-status" +
		" --help --version --build-configuration"
	jqTwo   = "--arg --argjson"
	jqFiles = "--slurpfile --rawfile"
)

// jqEffect parses the arguments of jq, which has flags with two values.
func jqEffect(args []arg) effect {
	var e effect
	var program *arg
	for i := 0; i < len(args); i++ {
		a := args[i]
		name := a.value
		switch {
		case a.is("--"): // the versions since 1.5 disagree about the words after it
			e.worsen(Unknown, "jq reads -- in several ways")
		case a.is("--indent"):
			i++
			if i == len(args) || !args[i].isLiteral() || !isDigits(args[i].value) {
				e.worsen(Unknown, "the value of --indent is not known")
			}
		case a.isLiteral() && (has(jqTwo, name) || has(jqFiles, name)):
			i += 2
			if i >= len(args) || args[i].mayBeSeveral() || args[i-1].mayBeSeveral() {
				e.worsen(Unknown, "the values of "+name+" are not known")
			} else if has(jqFiles, name) {
				e.addRead(args[i])
			}
		case a.isLiteral() && has(jqAlone, name):
		case a.isLiteral() && len(name) > 1 && name[0] == '-' && strings.Trim(name[1:], jqLetters) == "":
		case a.isLiteral() && len(name) > 1 && name[0] == '-':
			e.worsen(Unknown, "the flag "+name+" is not known")
		case a.mayBeFlag():
			e.worsen(Unknown, a.source+" may become a flag")
			e.addRead(a)
		case program == nil:
			program = &args[i]
		default:
			e.addRead(a)
		}
	}
	switch {
	case program == nil:
	case !program.isLiteral():
		e.worsen(Unknown, "the program of jq is not known")
	case !jqOnlyReads(program.value):
		e.worsen(Unknown, "the program of jq may do more than change its input")
	}
	return e
}

// jqForbidden are the names by which a jq program sees the environment or files.
const jqForbidden = "env $ENV import include modulemeta get_search_list $__prog_args"

// jqOnlyReads reports whether a jq program only transforms its input.
func jqOnlyReads(program string) bool {
	p := jqProgram{program}
	return p.read(0) && p.text == ""
}

// A jqProgram is the unread rest of a program.
type jqProgram struct{ text string }

// read reads up to the parenthesis that ends an interpolation. At depth 0 it reads to
// the end.
func (p *jqProgram) read(depth int) bool {
	if depth > 10 {
		return false
	}
	open := 0
	for before := byte(0); p.text != ""; {
		c := p.text[0]
		switch {
		case c == '"':
			p.text = p.text[1:]
			if !p.quoted(depth) {
				return false
			}
		case c == '#':
			return false // versions disagree about where a comment ends
		case c == '$' || isName(p.text[:1]):
			if name := p.name(); has(jqForbidden, name) && (before != '.' || c == '$') {
				return false
			}
		default:
			p.text = p.text[1:]
			if c == '(' {
				open++
			}
			if c == ')' {
				open--
				if open < 0 {
					return depth > 0
				}
			}
			if c == '.' && before == '.' {
				c = 0 // ".." is a value and does not begin a name
			}
		}
		before = c
	}
	return depth == 0
}

// name reads a name, including a $ before it.
func (p *jqProgram) name() string {
	n := 1
	for n < len(p.text) && isName(strings.TrimPrefix(p.text[:n+1], "$")) {
		n++
	}
	name := p.text[:n]
	p.text = p.text[n:]
	if name == "$" { // blanks may follow the $
		p.text = strings.TrimLeft(p.text, " \t\r\n")
		if p.text != "" && isName(p.text[:1]) {
			return "$" + p.name()
		}
	}
	return name
}

// quoted reads a string after its first quote, including interpolations.
func (p *jqProgram) quoted(depth int) bool {
	for p.text != "" {
		c := p.text[0]
		p.text = p.text[1:]
		switch {
		case c == '"':
			return true
		case c == '\\' && strings.HasPrefix(p.text, "("):
			p.text = p.text[1:]
			if !p.read(depth + 1) {
				return false
			}
		case c == '\\' && p.text != "":
			p.text = p.text[1:]
		}
	}
	return false
}
