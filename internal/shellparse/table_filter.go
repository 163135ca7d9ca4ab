package shellparse

import "slices"

// filterSpecs are the commands that transform text.
var filterSpecs = map[string]commandSpec{
	"sort": {
		source: "GNU coreutils 9.5 manual, sort invocation", operands: readFiles, hasUnsafeFlags: true, // --compress-program runs a program
		flags: "-b -c -C -d -f -g -h -i -k= -m -M -n -o> -r -R -s -S= -t= -u -V -z" +
			" --ignore-leading-blanks --check? --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort" +
			" --ignore-nonprinting --key= --merge --month-sort --numeric-sort --output> --reverse --random-sort --stable" +
			" --buffer-size= --field-separator= --unique --version-sort --zero-terminated --sort= --parallel= --batch-size=" +
			" --debug" + gnuFlags,
	},
	"uniq": {
		source: "GNU coreutils 9.5 manual, uniq invocation", operands: otherOperands,
		flags: "-# +# -c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated? --group? --skip-fields= --ignore-case" +
			" --skip-chars= --unique --check-chars= --zero-terminated" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			for i, a := range p.operands {
				switch {
				case a.mayBeSeveral():
					e.worsen(Unknown, "uniq writes its second operand, and "+a.source+" may be two")
					e.addRead(a)
					e.files = append(e.files, file{arg: a, write: true, guess: true})
				case i == 0:
					e.addRead(a)
				default:
					e.worsen(Mutating, "uniq writes its second operand")
					e.addWrite(a)
				}
			}
			if len(p.splitValues) > 0 {
				e.worsen(Unknown, "uniq writes its second operand, and "+p.splitValues[0].source+" may be two")
			}
		},
	},
	"cut": {
		source: "GNU coreutils 9.5 manual, cut invocation", operands: readFiles,
		flags: "-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited" +
			" --output-delimiter= --zero-terminated" + gnuFlags,
	},
	"paste": {
		source: "GNU coreutils 9.5 manual, paste invocation", operands: readFiles,
		flags: "-d= -s -z --delimiters= --serial --zero-terminated" + gnuFlags,
	},
	"tr": {
		source: "GNU coreutils 9.5 manual, tr invocation", operands: plainTexts,
		flags: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1" + gnuFlags,
	},
	"rev": {source: "rev(1) of util-linux 2.40", operands: readFiles, flags: "-0 --zero" + gnuFlags},
	"fold": {
		source: "GNU coreutils 9.5 manual, fold invocation", operands: readFiles,
		flags: "-# -b -s -w= --bytes --spaces --width=" + gnuFlags,
	},
	"fmt": {
		source: "GNU coreutils 9.5 manual, fmt invocation", operands: readFiles,
		flags: "-# -c -g= -p= -s -t -u -w= --crown-margin --tagged-paragraph --goal= --prefix= --split-only" +
			" --uniform-spacing --width=" + gnuFlags,
	},
	"pr": {
		source: "GNU coreutils 9.5 manual, pr invocation", operands: readFiles,
		flags: "-# +# -a -b -c -d -D= -f -F -h= -J -l= -m -o= -r -t -T -v -w= -W= --across --columns= --show-control-chars" +
			" --double-space --date-format= --form-feed --header= --join-lines --length= --merge --indent=" +
			" --no-file-warnings --omit-header --omit-pagination --show-nonprinting --width= --page-width= --pages=" + gnuFlags,
	},
	"expand": {
		source: "GNU coreutils 9.5 manual, expand invocation", operands: readFiles,
		flags: "-# -i -t= --initial --tabs=" + gnuFlags,
	},
	"unexpand": {
		source: "GNU coreutils 9.5 manual, unexpand invocation", operands: readFiles,
		flags: "-a -t= --all --first-only --tabs=" + gnuFlags,
	},
	"column": {
		source: "column(1) of util-linux 2.40", operands: readFiles,
		flags: "-c= -d -e -E= -H= -i= -J -L -N= -o= -O= -p= -r= -R= -s= -t -T= -W= -x --table --separator= --output-separator=" +
			" --output-width= --fillrows --json --table-columns= --table-name= --table-right= --table-hide= --table-order=" +
			" --table-truncate= --table-wrap= --table-noextreme= --table-noheadings --table-columns-limit= --keep-empty-lines" + gnuFlags,
	},
	"join": {
		source: "GNU coreutils 9.5 manual, join invocation", operands: readFiles,
		flags: "-a= -e= -i -j= -o= -t= -v= -1= -2= -z --ignore-case --check-order --nocheck-order --header --zero-terminated" + gnuFlags,
	},
	"shuf": {
		source: "GNU coreutils 9.5 manual, shuf invocation", operands: otherOperands, hasUnsafeFlags: true, // -o writes a file
		flags: "-e -i= -n= -o> -r -z --echo --input-range= --head-count= --output> --random-source< --repeat" +
			" --zero-terminated" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			if !p.hasFlag("-e", "--echo") {
				e.addRead(p.operands...)
			}
		},
	},
	"tee": {
		source: "GNU coreutils 9.5 manual, tee invocation", operands: otherOperands,
		flags: "-a -i -p --append --ignore-interrupts --output-error?" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			if slices.ContainsFunc(p.operands, func(a arg) bool { return !a.is("/dev/null") }) {
				e.worsen(Mutating, "tee writes files")
			}
			e.addWrite(p.operands...)
		},
	},
	"numfmt": {
		source: "GNU coreutils 9.5 manual, numfmt invocation", operands: plainTexts,
		flags: "-# -d= -z --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header? --invalid= --padding=" +
			" --round= --suffix= --to= --to-unit= --zero-terminated" + gnuFlags,
	},
	"factor": {source: "GNU coreutils 9.5 manual, factor invocation", operands: plainTexts, flags: "-h --exponents" + gnuFlags},
	"seq": {
		source: "GNU coreutils 9.5 manual, seq invocation", operands: plainTexts,
		flags: "-# -f= -s= -w --format= --separator= --equal-width" + gnuFlags,
	},
	"expr": {source: "GNU coreutils 9.5 manual, expr invocation", custom: func([]arg) effect { return effect{} }},
	"bc": {
		source: "GNU bc 1.07 manual", operands: readFiles,
		flags: "-h -l -q -s -v -w --help --mathlib --quiet --standard --version --warn",
	},
	"xargs": {
		source: "GNU findutils 4.10 manual, xargs options, and -J of BSD", operands: otherOperands, flagsEndAtOperand: true,
		flags: "-0 -a< -d= -e? -E= -i? -I= -J= -l? -L= -n= -o -p -P= -r -s= -t -x --null --arg-file< --delimiter= --max-lines? --max-args= --max-procs=" +
			" --no-run-if-empty --max-chars= --verbose --exit --replace? --eof? --show-limits" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			e.worsen(Unknown, "xargs runs a command with arguments that nobody knows")
			if len(p.operands) > 0 {
				rest := arg{source: "…", anyNumber: true}
				e.runs = [][]arg{append(p.nestedCommand(), rest)}
			}
		},
	},
}
