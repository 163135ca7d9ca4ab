package shelltable

// An OptionSpec lists the options with which a program runs another one, loads code, or
// writes a file that no other table knows. People allow such programs for their usual
// work, as by "Bash(rg:*)", and do not think of these options. So no rule with a wildcard
// covers a command with one of them. It suits programs of which most arguments are
// harmless. Its opposite is a [WildcardSpec], which lists the harmless arguments.
type OptionSpec struct {
	Source string
	Words  string // the subcommand; empty for any
	// Options are the options, each with a mark for its value:
	//
	//	-x    no value
	//	-x=   a value
	//	-x!   a value that is a command line
	//	-x~   a value; the option counts only if that leads out of the project
	//	-x>   a file that is written; likewise, or if it is hidden
	Options string
	// Valued are the letters of other options with a value. The letters after them in
	// the same word are no options.
	Valued        string
	EndsAtOperand bool // the words behind the first operand are for another program
	SingleDash    bool // options of more than one letter have one dash; a second one is accepted
	Abbreviates   bool // long options may be abbreviated
}

// GenericOptions are for programs that no table knows, by the names that such options
// usually have. Names with a star in front are ends of names.
var GenericOptions = OptionSpec{
	Source: "names that are used alike by many programs",
	Options: "--exec! --execute! --exec-batch! --exec-cmd! --command! --cmd! --run-command! --pre! --pre-command! --pre-cmd! --pre-script! --post-command!" +
		" --pager! --editor! --shell! --shell-command! --script-shell! --filter-command! --hook! --browser! --viewer! --rsh!" +
		" *-program! *-command! *-cmd! *-exec! *-pager! *-editor! *-shell! *-prog!" +
		" --eval= --require= --import= --preload= --loader= --plugin= --plugins= --load= --load-plugin= --load-plugins= --init-hook= --bootstrap~ --init-script~" +
		" --config~ --conf~ --configuration~ --config-file~ --configfile~ --config-path~ --config-dir~ --rcfile~ --rc-file~ --settings~ --options~ --defaults-file~" +
		" --include~ --script~ --rulesdir~ --rules-dir~ --rules~ --project~ --project-dir~ --project-directory~ --root~ --root-dir~ --rootdir~ --base-dir~" +
		" --cwd~ --chdir~ --workdir~ --work-dir~ --working-dir~ --working-directory~ --directory~ --dir~ --prefix~ --plugin-dir~ --plugins-dir~ --plugin-search-dir~" +
		" --extension-dir~ --module-path~ --modules-dir~ --taskfile~ --justfile~ --makefile~ --buildfile~ --build-file~ --registry~ --index-url~ --user-config~ --userconfig~",
}

// OptionSpecs are the options of known programs. A program may stand here and in
// WildcardSpecs; then both count.
var OptionSpecs = map[string][]OptionSpec{
	// Searching and looking.
	"rg":    {{Source: "ripgrep 14 manual", Options: "--pre! --hostname-bin!", Valued: "ABCEefgjMmrTtd"}},
	"ag":    {{Source: "ag 2.2 manual", Options: "--pager!", Valued: "ABCgGmp", Abbreviates: true}},
	"ack":   {{Source: "ack 3 manual", Options: "--pager! --ackrc= --output=", Valued: "ABCgm", Abbreviates: true}},
	"ugrep": ugrepOptions, "ug": ugrepOptions,
	"fd": fdOptions, "fdfind": fdOptions,
	"sort":  {{Source: "GNU coreutils 9.5 manual, sort invocation", Options: "--compress-program!", Valued: "koStT", Abbreviates: true}},
	"split": {{Source: "GNU coreutils 9.5 manual, split invocation", Options: "--filter!", Valued: "abClnt", Abbreviates: true}},
	"sdiff": {{Source: "GNU diffutils 3.10 manual", Options: "--diff-program! -o= --output=", Valued: "IwFD", Abbreviates: true}},
	"diff3": {{Source: "GNU diffutils 3.10 manual", Options: "--diff-program!", Valued: "L", Abbreviates: true}},
	"man":   manOptions, "apropos": manOptions, "whatis": manOptions,
	"less": {{Source: "less 643 manual", Options: "-k= -o= -O= --lesskey-file= --lesskey-src= --lesskey-content= --log-file= --LOG-FILE= -T= --tag-file=", Valued: "bDhjPptxyz#", Abbreviates: true}},
	"bat":  batOptions, "batcat": batOptions,
	"delta": {{Source: "delta 0.18 manual", Options: "--pager! --config="}},
	"file":  {{Source: "file 5.45 manual", Options: "-C --compile -m= --magic-file=", Valued: "eFfP", Abbreviates: true}},
	"tree":  {{Source: "tree 2.1 manual", Options: "-R"}},

	// Archives.
	"zip":   {{Source: "Info-ZIP zip 3.0 manual", Options: "-TT! --unzip-command! -lf= --logfile-path= -la --log-append -li --log-info", Valued: "bnOPtsZ", Abbreviates: true}},
	"tar":   {{Source: "GNU tar 1.35 manual", Options: "--index-file= --volno-file= --listed-incremental= -g=", Valued: "bCfHKLNTVX", Abbreviates: true}},
	"cpio":  {{Source: "GNU cpio 2.15 manual", Options: "--rsh-command!", Valued: "CDEFHIMOR", Abbreviates: true}},
	"7z":    {{Source: "7-Zip 23 manual", Options: "-w=", SingleDash: true}},
	"rsync": {{Source: "rsync 3.3 manual", Options: "--rsync-path! --log-file= --write-batch= --only-write-batch= --read-batch= --backup-dir~ --partial-dir~ --temp-dir~ -T~ --copy-dest~ --link-dest~", Valued: "BfM@", Abbreviates: true}},

	// Languages for looking at data.
	"yq":      {{Source: "yq 4 manual", Options: "--from-file= --split-exp= --split-exp-file= -s="}},
	"xmllint": {{Source: "xmllint(1) of libxml2 2.12", Options: "--shell --output= --o= --load-trace --path= --catalogs"}},
	"sqlite3": {{Source: "sqlite3(1) 3.46", Options: "-init= -cmd= -A -archive", SingleDash: true}},
	"psql":    {{Source: "psql 16 manual", Options: "-o= --output= -L= --log-file= -f~ --file~", Valued: "cdFhpPRTUv", Abbreviates: true}},
	"mysql":   {{Source: "mysql 8.4 manual", Options: "--pager! --tee= --init-command= --plugin-dir= --defaults-file= --defaults-extra-file=", Valued: "DehpPuS", Abbreviates: true}},
	"gofmt":   goFormatOptions, "goimports": goFormatOptions, "gofumpt": goFormatOptions,
	"objdump": binutilsOptions, "nm": binutilsOptions, "ar": binutilsOptions, "ranlib": binutilsOptions, "strip": binutilsOptions, "readelf": binutilsOptions,
	"pandoc":  {{Source: "pandoc 3 manual", Options: "--filter! -F! --lua-filter= -L= --pdf-engine! --pdf-engine-opt= --template= --defaults= -d= --data-dir= --extract-media= --log=", Valued: "fortwHABDcTVM", Abbreviates: true}},
	"openssl": {{Source: "OpenSSL 3 manual", Options: "-engine= -engine_impl -provider= -provider-path= -config= -writerand=", SingleDash: true}},
	"tcpdump": {{Source: "tcpdump 4.99 manual", Options: "-z! -w=", Valued: "BcCDEFGiIjmMrsTVWyQ"}},
	"nmap":    {{Source: "Nmap 7 manual", Options: "--script= --datadir= --interactive --servicedb= --versiondb= -oN= -oX= -oS= -oG= -oA="}},

	// Compilers and binaries.
	"gcc": compilerOptions, "g++": compilerOptions, "cc": compilerOptions, "c++": compilerOptions, "clang": compilerOptions, "clang++": compilerOptions,
	"rustc":   {{Source: "rustc 1.90 manual", Options: "--extern~ --sysroot= -Z=", Valued: "LloOAWDFC"}},
	"cmake":   {{Source: "cmake(1) 3.30", Options: "-P= -E= -C= --toolchain= --graphviz= --trace-redirect= --profiling-output= --open= --debugger-dap-log=", Valued: "DGTASBUW"}},
	"strace":  {{Source: "strace(1) 6.10", Options: "-o= --output=", Valued: "aEeIPpsSuUXbO"}},
	"perf":    {{Source: "perf(1)", Options: "--script= --gen-script= -o= --output= --objdump! --addr2line! --debuginfod=", Valued: "cegpsStuCD"}},
	"latexmk": {{Source: "latexmk 4.85 manual", Options: "-e= -r= -latex! -pdflatex! -xelatex! -lualatex! -shell-escape --shell-escape -outdir~ -output-directory~", SingleDash: true}},
	"tex":     texOptions, "latex": texOptions, "pdflatex": texOptions, "xelatex": texOptions, "lualatex": texOptions, "pdftex": texOptions, "luatex": texOptions,

	// Linters whose configuration or plug-ins are code.
	"mypy":          {{Source: "mypy 1.15 manual", Options: "--config-file~ --python-executable! --custom-typeshed-dir= --shadow-file= --install-types --junit-xml= --any-exprs-report= --cobertura-xml-report= --html-report= --linecount-report= --linecoverage-report= --lineprecision-report= --txt-report= --xml-report= --xslt-html-report= --xslt-txt-report= --cache-dir~", Abbreviates: true}},
	"pylint":        {{Source: "pylint 3 manual", Options: "--load-plugins= --init-hook= --rcfile~ --output= --persistent=", Valued: "defijs", Abbreviates: true}},
	"flake8":        {{Source: "flake8 7 manual", Options: "--config~ --append-config~ --output-file= --tee --enable-extensions=", Valued: "j", Abbreviates: true}},
	"pyright":       {{Source: "pyright 1.1 manual", Options: "-p~ --project~ --pythonpath! --createstub= --typeshedpath= -t=", Valued: "v"}},
	"ruff":          {{Source: "ruff 0.11 manual", Options: "-o= --output-file= --cache-dir~ --config~"}},
	"golangci-lint": {{Source: "golangci-lint 2 manual", Options: "-c~ --config~ --cpu-profile-path= --mem-profile-path= --trace-path= --output.text.path= --output.json.path= --path-prefix="}},
	"staticcheck":   {{Source: "staticcheck 2025", Options: "-debug.cpuprofile= -debug.memprofile= -debug.trace=", SingleDash: true}},
	"stylelint":     {{Source: "stylelint 16 manual", Options: "-c~ --config~ --custom-syntax= --custom-formatter= --config-basedir~ -o= --output-file= --cache-location~"}},
	"markdownlint":  {{Source: "markdownlint-cli 0.44", Options: "-r= --rules= -c~ --config~ -o= --output="}},
	"commitlint":    {{Source: "commitlint 19 manual", Options: "-x= --extends= -g~ --config~ -o= --format= -p= --parser-preset= -H="}},
	"tsc":           {{Source: "TypeScript 5 manual", Options: "-p~ --project~ -b~ --build~ --outDir> --outFile> --rootDir~ --declarationDir> --tsBuildInfoFile> --generateTrace= --generateCpuProfile= --plugins=", SingleDash: true}},
	"black":         {{Source: "black 25 manual", Options: "--config~"}},
	"isort":         {{Source: "isort 6 manual", Options: "--settings-path~ --sp~ --settings-file~", Abbreviates: true}},
	"webpack":       {{Source: "webpack 5 manual", Options: "-c~ --config~ -o~ --output-path~"}},
	"vite":          {{Source: "Vite 6 manual", Options: "-c~ --config~ --outDir~"}},
	"playwright":    {{Source: "Playwright 1.50 manual", Options: "-c~ --config~ --reporter= --output~ --tsconfig~"}},
	"cypress":       {{Source: "Cypress 14 manual", Options: "-C~ --config-file~ -P~ --project~ -c= --config= -r= --reporter= -b= --browser="}},

	"jq": {{Source: "jq 1.8 manual", Options: "-f~ --from-file~ -L~ --library-path~"}},

	// Package managers and builders.
	"go": {
		{Source: "Go 1.26, go help run: what follows its operand is for the program", Words: "run"},
		{Source: "Go 1.26, go help build", Options: "-toolexec! -exec! -vettool! -C~ -modfile~ -overlay~ -pkgdir~", SingleDash: true},
	},
	"swift": {{Source: "SwiftPM 6 manual", Options: "--package-path~ --scratch-path~ --build-path~ --cache-path~ --config-path~ --toolchain= --swift-sdk= --disable-sandbox -Xcc= -Xswiftc= -Xlinker="}},
	"bazel": bazelOptions, "bazelisk": bazelOptions,
	"cargo": {{Source: "cargo 1.95, cargo help", Options: "--config= -Z= -C= --manifest-path~ --target-dir~ --artifact-dir= --out-dir= --lockfile-path= --root~ --registry= --index= --git= --path~ --allow-config= --openssl=", Valued: "pFj"}},
	"pip":   pipOptions, "pip3": pipOptions,
	"npm": {
		{Source: "npm 11 manual, npm exec", Words: "exec", Options: npmOptions},
		{Source: "npm 11 manual, npm exec", Words: "x", Options: npmOptions},
		{Source: "npm 11 manual, config", Options: npmOptions, Abbreviates: true},
	},
	"npx":       {{Source: "npm 11 manual, npx", Options: npmOptions, EndsAtOperand: true}},
	"pnpm":      {{Source: "pnpm 10 manual", Options: pnpmOptions}},
	"yarn":      {{Source: "yarn 1.22 and 4 manuals", Options: pnpmOptions}},
	"composer":  {{Source: "Composer 2 manual", Options: "-d~ --working-dir~ --repository= --repository-url="}},
	"helm":      {{Source: "Helm 3 manual", Options: "--post-renderer! --kubeconfig= --registry-config= --repository-config="}},
	"kubectl":   {{Source: "kubectl 1.32 manual", Options: "--kubeconfig= -s= --server= --token= --as= --cache-dir~ --profile-output="}},
	"terraform": {{Source: "Terraform 1.11 manual", Options: "-chdir~ -plugin-dir= -state-out~ -out~ -backup~ -backend-config~ -from-module=", SingleDash: true}},

	// The network.
	"curl":   {{Source: "curl 8 manual", Options: "-K= --config= --output-dir>", Valued: "AbcCdDeEFhHmoPQrtTuUwxXyYz"}},
	"wget":   {{Source: "GNU wget 1.24 manual", Options: "--use-askpass! -e= --execute= --config= --warc-file= --warc-dedup= --warc-tempdir= --hsts-file=", Valued: "aADIilOoPQRTtUwBX", Abbreviates: true}},
	"ssh":    {{Source: "OpenSSH 9 manual", Options: "-F= -E= -I=", Valued: "BbceDiJLlmOopQRSWw"}},
	"aria2c": {{Source: "aria2 1.37 manual", Options: "--on-download-complete! --on-bt-download-complete! --on-download-error! --on-download-pause! --on-download-start! --on-download-stop! --conf-path= -i= --input-file= --save-session= -l= --log= --dht-file-path=", Valued: "dosxkj", Abbreviates: true}},

	"xargs": {{Source: "GNU findutils 4.10 manual, invoking xargs: a file says what its command gets", Options: "-a= --arg-file=", Valued: "dEILnPs", Abbreviates: true, EndsAtOperand: true}},

	// Editors and debuggers, which run commands of their own languages.
	"vim": vimOptions, "vi": vimOptions, "view": vimOptions, "ex": vimOptions, "nvim": vimOptions, "rvim": vimOptions, "rview": vimOptions, "gvim": vimOptions, "vimdiff": vimOptions, "nvim-qt": vimOptions,
	"emacs": {{Source: "GNU Emacs 30 manual", Options: "-eval= --eval= -execute= --execute= -l= -load= --load= -f= -funcall= --funcall= -script= --script= -x= --insert= -L= --directory=", SingleDash: true}},
	"nano":  {{Source: "GNU nano 8 manual", Options: "-s! --speller! -f= --rcfile= -C~ --backupdir~", Valued: "oQrTXYJ"}},
	"gdb":   {{Source: "GDB 15 manual", Options: "-ex= -eval-command= -iex= -init-eval-command= -x= -command= -ix= -init-command= -exec= -e= -python= -P= -cd~", SingleDash: true}},
	"lldb":  {{Source: "LLDB 19 manual", Options: "-o= --one-line= -O= --one-line-before-file= -k= --one-line-on-crash= -s= --source= -S= --source-before-file= -K= --source-on-crash= -l= --repl-language="}},
}

const (
	// npmOptions are settings of npm, each of which has an option.
	npmOptions  = "-c! --call! --script-shell! --shell! --git! --editor! --viewer! --browser! --node-options= --prefix~ -C~ --registry= --userconfig= --globalconfig= --init-module= --cache~ --proxy= --https-proxy="
	pnpmOptions = "*script-shell! *scriptShell! --cwd~ -C~ --dir~ --prefix~ --registry= --use-node-version= --modules-folder~ --modules-dir~ --global-dir~ --store-dir~ --pnpmfile~ --global-pnpmfile= --userconfig= --node-options= --use-yarnrc="
)

var (
	ugrepOptions = []OptionSpec{{Source: "ugrep 6 manual", Options: "--pager! --filter! --view! --config= --save-config= --include-from~", Valued: "ABCDdEefgJKmMNOQtT"}}
	fdOptions    = []OptionSpec{{Source: "fd 10 manual", Options: "-x! --exec! -X! --exec-batch!", Valued: "cdeEjoStTC"}}
	manOptions   = []OptionSpec{{Source: "man(1) of man-db 2.12", Options: "-P! --pager! -H! --html! -C= --config-file= -X= --gxditview= --preprocessor= -p= -T= --troff-device= -t -Z", Valued: "eELmMrRsS", Abbreviates: true}}
	batOptions   = []OptionSpec{{Source: "bat 0.24 manual", Options: "--pager! --config-dir --cache-dir --source= --target=", Valued: "lHrm"}}
	pipOptions   = []OptionSpec{{Source: "pip 24 manual", Options: "--python! --log= -C= --config-settings= --global-option= --install-option= --report= --proxy= --cert= --client-cert= --cache-dir~ -t~ --target~ --root~ --prefix~ --src~ -d~ --dest~ -w~ --wheel-dir~", Valued: "ceifr", Abbreviates: true}}
	bazelOptions = []OptionSpec{{Source: "Bazel 8 manual, command-line reference", Options: "--run_under! --script_path= --workspace_status_command! --override_repository= --override_module= --bazelrc= --output_base~ --output_user_root~ --repo_env= --action_env= --test_env= --host_jvm_args= --server_javabase="}}
	// goFormatOptions write a profile.
	goFormatOptions = []OptionSpec{{Source: "Go 1.26, cmd/gofmt", Options: "-cpuprofile= -memprofile= -trace=", SingleDash: true}}
	binutilsOptions = []OptionSpec{{Source: "GNU binutils 2.42 manual", Options: "--plugin= --dwo-dir= --info-output=", Valued: "bjmMX", Abbreviates: true}}
	texOptions      = []OptionSpec{{Source: "TeX Live 2025, web2c manual", Options: "-shell-escape -enable-write18 -output-directory~ -ini -fmt= -progname= -lua=", SingleDash: true}}
	// compilerOptions make a compiler start another program or load code into it.
	compilerOptions = []OptionSpec{{Source: "GCC 14 and Clang 18 manuals", Options: "-B= -wrapper! -specs= --specs= -fplugin= -fpass-plugin= -dumpdir~ -Xclang= -load= --config= -ccc-gcc-name= -working-directory~", SingleDash: true}}
	vimOptions      = []OptionSpec{{Source: "Vim 9.1 manual, starting", Options: "-c= --cmd= -S= -s= -u= -U= -i= -w= -W= -q= -t= --remote-expr= --remote-send= -l= -ll=", Valued: "T", SingleDash: true}}
)
