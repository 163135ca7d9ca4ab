package shellparse

// searchSpecs are the commands that search files or their content.
var searchSpecs = map[string]commandSpec{
	"grep":  grepSpec,
	"egrep": grepSpec,
	"fgrep": grepSpec,
	"rg":    ripgrepSpec,
	"find":  {source: "GNU findutils 4.10 manual", custom: findEffect},
}

// grepSpec is for grep, which follows links below a directory only with -R.
var grepSpec = commandSpec{
	source: "GNU grep 3.11 manual", operands: otherOperands,
	flags: "-# -A= -a -B= -b -C= -c -D= -d= -E -e= -F -f< -G -H -h -I -i -L -l -m= -n -o -P -q -R -r -s -T -U -V -v -w -x -y -Z -z" +
		" --after-context= --basic-regexp --before-context= --binary --binary-files= --byte-offset --color? --colour? --context=" +
		" --count --dereference-recursive --devices= --directories= --exclude= --exclude-dir= --exclude-from< --extended-regexp --file<" +
		" --files-with-matches --files-without-match --fixed-strings --group-separator= --ignore-case --include= --initial-tab" +
		" --invert-match --label= --line-buffered --line-number --line-regexp --max-count= --no-filename --no-group-separator" +
		" --no-ignore-case --no-messages --null --null-data --only-matching --perl-regexp --quiet --recursive --regexp=" +
		" --silent --text --with-filename --word-regexp" + gnuFlags,
	post: grepEffect,
}

func grepEffect(p parsedArgs, e *effect) {
	patterns := 1
	if p.hasFlag("-e", "-f", "--regexp", "--file") {
		patterns = 0
	}
	follows := p.hasFlag("-R") || p.abbreviates("--dereference-recursive")
	tree := follows || p.hasFlag("-r", "--recursive") || p.abbreviates("--recursive")
	for _, v := range p.flagValues("-d", "--directories") {
		tree = tree || !v.is("skip", "read")
	}
	if tree {
		e.addSearched(p, patterns, file{filter: grepFilter(p.flags), followsLinks: follows})
		e.printFound(p, patterns)
		return
	}
	for i, a := range p.operands {
		if i >= patterns || a.mayBeSeveral() {
			e.addRead(a)
		}
	}
	e.addRead(p.splitValues...)
	if len(e.files) > 0 && len(e.files) == len(p.operands)-patterns && len(p.splitValues) == 0 {
		e.printFound(p, patterns)
	}
}

// ripgrepSpec leaves out --pre, --hostname-bin and -z, which run programs, and -L,
// which follows links out of the tree.
var ripgrepSpec = commandSpec{
	source: "ripgrep 14 manual", operands: otherOperands, hasUnsafeFlags: true, readsPatterns: true,
	flags: "-# -A= -a -B= -b -C= -c -E= -e= -F -f< -g= -H -h -I -i -l -M= -m= -N -n -o -P -p -q -r= -S -s -T= -t= -U -u -V -v -w -x -0 -." +
		" --after-context= --text --before-context= --byte-offset --block-buffered --color= --colors= --column --context=" +
		" --context-separator= --count --count-matches --crlf --debug --dfa-size-limit= --encoding= --engine= --field-context-separator=" +
		" --field-match-separator= --file< --files --files-with-matches --files-without-match --fixed-strings --glob= --iglob=" +
		" --glob-case-insensitive --heading --help --hidden --ignore-case --ignore-file< --ignore-file-case-insensitive" +
		" --include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns= --max-columns-preview" +
		" --max-count= --max-depth= --max-filesize= --mmap --multiline --multiline-dotall --no-config --no-filename --no-heading" +
		" --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages" +
		" --no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --no-mmap --no-require-git --no-unicode --null" +
		" --null-data --one-file-system --only-matching --passthru --path-separator= --pcre2 --pcre2-version --pretty --quiet" +
		" --regex-size-limit= --regexp= --replace= --smart-case --case-sensitive --sort= --sortr= --stats --stop-on-nonmatch --threads= -j=" +
		" --trace --trim --type= --type-add= --type-clear= --type-list --type-not= --unrestricted --version --vimgrep" +
		" --with-filename --word-regexp -d=",
	post: func(p parsedArgs, e *effect) {
		patterns := 1
		if p.hasFlag("-e", "-f", "--regexp", "--file", "--files", "--type-list") {
			patterns = 0
		}
		e.addSearched(p, patterns, file{filter: ripgrepFilter(p.flags), namesOnly: p.hasFlag("--files")})
		e.printFound(p, patterns)
	},
}

// addSearched adds the operands of a search: first the given number of patterns, then
// the trees that are searched, with the other fields of like. The default is the working
// directory.
func (e *effect) addSearched(p parsedArgs, patterns int, like file) {
	like.tree = true
	in := []arg{literalArg(".")}
	if len(p.operands) > patterns {
		in = p.operands[patterns:]
	}
	for _, a := range p.operands[:min(patterns, len(p.operands))] {
		if a.mayBeSeveral() { // all but its first word are files
			like.arg = a
			e.files = append(e.files, like)
		}
	}
	for _, a := range append(in, p.splitValues...) {
		like.arg = a
		e.files = append(e.files, like)
	}
}

// printFound says that a search prints the names of what it finds, if its flags say so.
func (e *effect) printFound(p parsedArgs, patterns int) {
	if !p.hasFlag("-l", "--files-with-matches", "--files") || p.hasFlag("-Z", "--null", "-0", "-z", "--null-data", "-c", "--count", "--color", "--colour", "-p", "--pretty", "--json", "--vimgrep", "--stats", "--debug", "--trace", "--path-separator", "--type-list", "--help", "--version", "-V", "-h", "--pcre2-version") {
		return
	}
	names := &foundNames{plain: true, bare: len(p.operands) <= patterns, regular: !p.hasFlag("-R") && !p.abbreviates("--dereference-recursive")}
	for _, f := range e.files {
		switch names.plain = names.plain && isPlainName(f.arg); {
		case !f.known || f.tree && f.glob:
			return
		case f.tree:
			names.trees = append(names.trees, f.arg)
		default:
			names.values, names.regular = append(names.values, f.arg), false
		}
	}
	e.prints = names
}
