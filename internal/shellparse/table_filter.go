package shellparse

// filters are the commands that change text on its way through.
var filters = map[string]entry{
	"sort": {
		source: "GNU coreutils 9.5 manual, sort invocation", operands: reads, acts: true, // --compress-program runs one
		flags: "-b -c -C -d -f -g -h -i -k= -m -M -n -o> -r -R -s -S= -t= -u -V -z" +
			" --ignore-leading-blanks --check? --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort" +
			" --ignore-nonprinting --key= --merge --month-sort --numeric-sort --output> --reverse --random-sort --stable" +
			" --buffer-size= --field-separator= --unique --version-sort --zero-terminated --sort= --parallel= --batch-size=" +
			" --debug" + gnu,
	},
	"uniq": {
		source: "GNU coreutils 9.5 manual, uniq invocation", operands: others,
		flags: "-# +# -c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated? --group? --skip-fields= --ignore-case" +
			" --skip-chars= --unique --check-chars= --zero-terminated" + gnu,
		and: func(g given, u *use) {
			for i, a := range g.operands {
				switch {
				case a.loose():
					u.worsen(Unknown, "uniq writes its second operand, and "+a.source+" may be two")
					u.read(a)
				case i == 0:
					u.read(a)
				default:
					u.worsen(Mutating, "uniq writes its second operand")
					u.write(a)
				}
			}
			if len(g.loose) > 0 {
				u.worsen(Unknown, "uniq writes its second operand, and "+g.loose[0].source+" may be two")
			}
		},
	},
	"cut": {
		source: "GNU coreutils 9.5 manual, cut invocation", operands: reads,
		flags: "-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited" +
			" --output-delimiter= --zero-terminated" + gnu,
	},
	"paste": {
		source: "GNU coreutils 9.5 manual, paste invocation", operands: reads,
		flags: "-d= -s -z --delimiters= --serial --zero-terminated" + gnu,
	},
	"tr": {
		source: "GNU coreutils 9.5 manual, tr invocation", operands: texts,
		flags: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1" + gnu,
	},
	"rev": {source: "rev(1) of util-linux 2.40", operands: reads, flags: "-0 --zero" + gnu},
	"fold": {
		source: "GNU coreutils 9.5 manual, fold invocation", operands: reads,
		flags: "-# -b -s -w= --bytes --spaces --width=" + gnu,
	},
	"fmt": {
		source: "GNU coreutils 9.5 manual, fmt invocation", operands: reads,
		flags: "-# -c -g= -p= -s -t -u -w= --crown-margin --tagged-paragraph --goal= --prefix= --split-only" +
			" --uniform-spacing --width=" + gnu,
	},
	"pr": {
		source: "GNU coreutils 9.5 manual, pr invocation", operands: reads,
		flags: "-# +# -a -b -c -d -D= -f -F -h= -J -l= -m -o= -r -t -T -v -w= -W= --across --columns= --show-control-chars" +
			" --double-space --date-format= --form-feed --header= --join-lines --length= --merge --indent=" +
			" --no-file-warnings --omit-header --omit-pagination --show-nonprinting --width= --page-width= --pages=" + gnu,
	},
	"expand": {
		source: "GNU coreutils 9.5 manual, expand invocation", operands: reads,
		flags: "-# -i -t= --initial --tabs=" + gnu,
	},
	"unexpand": {
		source: "GNU coreutils 9.5 manual, unexpand invocation", operands: reads,
		flags: "-a -t= --all --first-only --tabs=" + gnu,
	},
	"column": {
		source: "column(1) of util-linux 2.40", operands: reads,
		flags: "-c= -d -e -E= -H= -i= -J -L -N= -o= -O= -p= -r= -R= -s= -t -T= -W= -x --table --separator= --output-separator=" +
			" --output-width= --fillrows --json --table-columns= --table-name= --table-right= --table-hide= --table-order=" +
			" --table-truncate= --table-wrap= --table-noextreme= --table-noheadings --table-columns-limit= --keep-empty-lines" + gnu,
	},
	"join": {
		source: "GNU coreutils 9.5 manual, join invocation", operands: reads,
		flags: "-a= -e= -i -j= -o= -t= -v= -1= -2= -z --ignore-case --check-order --nocheck-order --header --zero-terminated" + gnu,
	},
	"shuf": {
		source: "GNU coreutils 9.5 manual, shuf invocation", operands: others, acts: true, // -o writes a file
		flags: "-e -i= -n= -o> -r -z --echo --input-range= --head-count= --output> --random-source< --repeat" +
			" --zero-terminated" + gnu,
		and: func(g given, u *use) {
			if !g.has("-e", "--echo") {
				u.read(g.operands...)
			}
		},
	},
	"tee": {
		source: "GNU coreutils 9.5 manual, tee invocation", operands: others,
		flags: "-a -i -p --append --ignore-interrupts --output-error?" + gnu,
		and: func(g given, u *use) {
			if len(g.operands) > 0 {
				u.worsen(Mutating, "tee writes files")
			}
			u.write(g.operands...)
		},
	},
	"numfmt": {
		source: "GNU coreutils 9.5 manual, numfmt invocation", operands: texts,
		flags: "-# -d= -z --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header? --invalid= --padding=" +
			" --round= --suffix= --to= --to-unit= --zero-terminated" + gnu,
	},
	"factor": {source: "GNU coreutils 9.5 manual, factor invocation", operands: texts, flags: "-h --exponents" + gnu},
	"seq": {
		source: "GNU coreutils 9.5 manual, seq invocation", operands: texts,
		flags: "-# -f= -s= -w --format= --separator= --equal-width" + gnu,
	},
	"expr": {source: "GNU coreutils 9.5 manual, expr invocation", all: func([]arg) use { return use{} }},
	"bc": {
		source: "GNU bc 1.07 manual", operands: reads,
		flags: "-h -l -q -s -v -w --help --mathlib --quiet --standard --version --warn",
	},
	"xargs": {
		source: "GNU findutils 4.10 manual, xargs options, and -J of BSD", operands: others, still: true,
		flags: "-0 -a< -d= -e? -E= -i? -I= -J= -l? -L= -n= -o -p -P= -r -s= -t -x --null --arg-file< --delimiter= --max-lines? --max-args= --max-procs=" +
			" --no-run-if-empty --max-chars= --verbose --exit --replace? --eof? --show-limits" + gnu,
		and: func(g given, u *use) {
			u.worsen(Unknown, "xargs runs a command with arguments that nobody knows")
			if len(g.operands) > 0 {
				rest := arg{source: "…", many: true}
				u.runs = [][]arg{append(g.withHoles(), rest)}
			}
		},
	},
}
