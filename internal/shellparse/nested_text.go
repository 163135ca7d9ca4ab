package shellparse

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// textPrograms are programs that run a text in a language of their own, in which commands
// may stand. The text is an argument or the standard input.
var textPrograms = wordSet("at batch bc crontab dc ed red emacs ex expect ftp gdb gnuplot gvim lftp lldb m4 mail mailx mariadb mysql nvim psql rview rvim sftp sqlite3" +
	" telnet vi view vim vimdiff")

// runsText reports whether a program runs a text that is no line of a shell.
func runsText(name string) bool {
	_, shell := scriptRunners[name]
	return !shell && (textPrograms[name] || runsAnyCode(name))
}

// startsPrograms matches a text in a programming language that may start a program.
var startsPrograms = regexp.MustCompile("(?i)system|popen|exec|spawn|subprocess|child_process|shell|getoutput|check_output|\\brun\\b|\\bcall\\b|!|\\||`|%x|qx|\\bpipe\\b|fork|process|command|\\bterm|^\\s*(at|batch)\\b|\\be\\b|\\bmake\\b|backquote")

// hidesPrograms matches a text that starts a program which its strings need not name.
var hidesPrograms = regexp.MustCompile(`(?i)\bsystem\b|popen|subprocess|child_process|spawn|\bexec[lv]|exec(File)?Sync|getoutput|check_output|\bqx\b|%x[^0-9a-f]|__import__|\bpty\b|posix_`)

// inspectTexts adds the commands in the arguments and the input of a program that runs
// texts.
func (w *walker) inspectTexts(c *Command, name string, args []arg, depth int) {
	if has("less more most", name) {
		for _, a := range args {
			if text, ok := strings.CutPrefix(a.value, "+"); ok {
				w.addTexts(c, text)
			}
		}
	}
	if !runsText(name) {
		return
	}
	kind := outsideNames
	if textPrograms[name] {
		kind = allNames
	}
	inspect := func(text string, code bool) {
		w.addNamesIn(c, text, kind, Path{Write: textPrograms[name], MayWrite: exceedsProgram(name, []arg{literalArg(text)})})
		if name == "sqlite3" {
			w.addSQLiteFiles(c, text)
		}
		if startsPrograms.MatchString(text) || has("at batch crontab", name) {
			w.addTexts(c, text)
		}
		if code {
			c.RunsUnseen = c.RunsUnseen || hidesPrograms.MatchString(text)
			w.addNamedFiles(c, text)
		}
	}
	for _, a := range args {
		if a.known && strings.ContainsAny(a.value, " \t\n!(|.`;") {
			inspect(strings.TrimPrefix(a.value, "+"), runsAnyCode(name))
		}
		if (file{arg: a}).isProcessSubst() {
			c.RunsUnseen = true
		}
	}
	if depth > 0 || !readsText(name, args) || !w.hasInput && !w.execHasInput {
		return
	}
	texts, whole := w.inputTexts()
	for _, text := range texts {
		if !w.pay(len(text)) {
			return
		}
		inspect(text, runsAnyCode(name))
		c.NoWildcards = c.NoWildcards || textPrograms[name] && exceedsProgram(name, []arg{literalArg(text)})
	}
	c.RunsUnseen = c.RunsUnseen || !whole
}

// addSQLiteFiles adds the files in the commands of sqlite3 that may write them.
func (w *walker) addSQLiteFiles(c *Command, text string) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0][0] != '.' || sqliteShows[words[0]] {
			continue
		}
		for _, word := range words[1:] {
			c.Paths = w.appendPaths(c.Paths, withoutQuotes(word), Path{Guess: true, Write: true, MayWrite: true})
		}
	}
}

// addNamedFiles adds the files that the strings in a text of a programming language may
// name.
func (w *walker) addNamedFiles(c *Command, text string) {
	writes := writesFiles.MatchString(text)
	like := Path{Guess: true, Write: writes, MayWrite: writes}
	for _, m := range stringLiterals.FindAllStringIndex(text, maxTexts) {
		name := text[m[0]+1 : m[1]-1]
		if name != "" && len(name) < 256 && !strings.ContainsAny(name, " \t\n(){}<>|;,'\"\\`$*?[") {
			c.Paths = w.appendPaths(c.Paths, name, like)
		}
	}
}

// writesFiles matches a text in a programming language that may write a file.
var writesFiles = regexp.MustCompile("(?i)write|['\"][wax]b?\\+?['\"]|append|unlink|remove|rename|mkdir|truncate|save|dump|copy|move|output")

// readsText reports whether a program may take the text that it runs from its input.
func readsText(name string, args []arg) bool {
	if !runsAnyCode(name) {
		return true
	}
	for _, a := range args {
		switch {
		case a.is("-"):
			return true
		case a.known && (!strings.HasPrefix(a.value, "-") || has("-c -m -e -E -p -pe -ne -r --eval --print --check", a.value)):
			return false
		}
	}
	return true
}

// inputTexts returns the texts that the line supplies as input, and whether they are all.
// It ignores which command gets them.
func (w *walker) inputTexts() (texts []string, whole bool) {
	if w.file == nil {
		return nil, false
	}
	if !w.inputFound {
		w.inputTextsFound, w.inputWhole = w.findInputTexts()
		w.inputFound = true
	}
	return w.inputTextsFound, w.inputWhole
}

// findInputTexts is inputTexts without its memory.
func (w *walker) findInputTexts() (texts []string, whole bool) {
	whole = true
	add := func(words ...*syntax.Word) {
		var values []string
		for _, word := range words {
			value, ok := w.verbatim(word)
			values, whole = append(values, value), whole && ok
		}
		texts = append(texts, strings.ReplaceAll(strings.Join(values, " "), `\n`, "\n"))
	}
	syntax.Walk(w.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Redirect:
			switch n.Op {
			case syntax.Hdoc, syntax.DashHdoc:
				if n.Hdoc != nil {
					text := w.sourceOf(n.Hdoc)
					_, quoted := hereDelimiter(n.Word)
					texts, whole = append(texts, text), whole && (quoted || !strings.ContainsAny(text, "$`"))
				}
			case syntax.WordHdoc:
				add(n.Word)
			case syntax.RdrIn:
				whole = whole && !isProcessSubst(n.Word)
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				whole = whole && printsOnly(n.X)
			}
		case *syntax.CallExpr:
			if len(n.Args) > 1 && has("echo printf", n.Args[0].Lit()) {
				add(n.Args[1:]...)
			}
		}
		return true
	})
	return texts, whole
}

// printsOnly reports whether a statement is an echo or printf.
func printsOnly(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && has("echo printf", call.Args[0].Lit())
}

// maxTexts limits the pieces of one text that are looked at.
const maxTexts = 24

// addTexts adds the commands that may stand in a text of another language or in the value
// of a variable: the text itself, what stands behind a mark that runs a command in some
// language, and the strings in it.
func (w *walker) addTexts(c *Command, text string) {
	for _, piece := range textPieces(text) {
		w.addScript(c, literalArg(piece), false)
	}
}

// textPieces returns the parts of a text that may be command lines.
func textPieces(text string) []string {
	var list []string
	add := func(piece string) {
		piece = strings.Trim(piece, " \t\r\n:!|@+;")
		if piece != "" && len(list) < maxTexts && len(piece) <= maxCharacters && !slices.Contains(list, piece) {
			list = append(list, piece)
		}
	}
	add(text)
	for line := range strings.SplitSeq(text, "\n") {
		for _, m := range commandMarks.FindAllStringIndex(line, maxCommandWords) {
			add(line[m[1]:])
		}
	}
	joined := ""
	for _, m := range stringLiterals.FindAllStringSubmatchIndex(text, maxTexts) {
		body := escapeReplacer.Replace(text[m[0]+1 : m[1]-1])
		add(body)
		if before := strings.TrimRight(text[:m[0]], " \t\n"); joined != "" && (strings.HasSuffix(before, ",") || strings.HasSuffix(before, "[")) {
			joined += " " + body
			add(joined)
			continue
		}
		joined = body
	}
	for _, m := range bracketLiterals.FindAllStringSubmatch(text, maxCommandWords) {
		add(m[1])
	}
	return list
}

var (
	escapeReplacer = strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\n`, "\n")
	// commandMarks match what stands before a command in the languages of editors,
	// debuggers and clients, and in configuration.
	commandMarks = regexp.MustCompile(`!|(^|[\s'";:.\\+])(shell|system|sh|term|terminal|exec|pipe|program|source|run|make)[\s=:]\s*|=\s*`)
	// stringLiterals match strings in most languages.
	stringLiterals = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`(?:[^`\\\\]|\\\\.)*`")
	// bracketLiterals match the commands of perl and ruby in brackets, and substitutions.
	bracketLiterals = regexp.MustCompile(`(?:qx|%x|qw|q|\$)\s*[({\[</|]([^)}\]>|]*)`)
)
