package security_test

// commandText is what lines call. Flags that act stand next to those that do not.
const commandText = `
command
	cat ‹words›
	‹tool› ‹flag› ‹words›
	‹tool› ‹words›
	‹tool› ‹words› ‹flag›
	‹tool› ‹flag› ‹flag› ‹words›
	‹tool› ‹'flag› ‹file›
	‹tool› ‹file› ‹redirect›
	‹tool› ‹redirect› ‹file› ‹redirect›
	‹'tool› ‹file›
	‹builtin›
	‹filter›
	‹filter› ‹file›
	‹look›
	‹look›
	‹look› ‹words›
	git ‹git›
	git ‹git› ‹words›
	git ‹git› ‹gitflag› ‹words›
	git ‹gitflag› ‹git›
	git -C ‹folder› ‹git›
	find ‹file› ‹find›
	find ‹find› ‹find›
	find ‹find›
	sed ‹flag› ‹sed› ‹file›
	sed ‹sed› ‹words›
	sed -n -e ‹sed› -e ‹sed› ‹file›
	awk ‹awk› ‹words›
	awk -F, ‹awk› ‹file›
	awk ‹flag› ‹awk› ‹file›
	jq ‹jq› ‹words›
	jq ‹jqflag› ‹jq› ‹file›
	grep ‹flag› ‹text› ‹words›
	grep -r ‹text› ‹words›
	grep -rn ‹flag› ‹text›
	sort ‹words› ‹flag›
	uniq ‹words›
	‹act›
	‹wrapper› ‹tool› ‹words›
	‹assign›
tool = cat ls head tail wc nl od hexdump xxd strings cmp comm diff md5sum sha256sum cksum base64 less more sort uniq cut paste tr rev fold fmt pr expand unexpand column join shuf seq expr bc
	numfmt factor find grep egrep rg tree file stat du df date hostname uname id whoami printenv env ps pgrep top free vmstat lsblk lscpu sum tac basename dirname realpath readlink which whereis type
	echo printf true test command hash zcat bzcat xzcat gzip tar unzip man whatis locale getconf tee sed awk jq git cal sleep nproc groups users who w tty uptime pidof logname arch split dd b2sum
builtin = pwd : true false type␠ls command␠-v␠ls hash jobs wait dirs umask times exit return break cd cd␠- popd set unset␠x shift read␠x test␠a [␠a␠] echo␠* history fc␠-l compgen␠-c alias bind␠-l
	ulimit␠-a enable␠-n␠ls source␠./evil.sh .␠evil.sh let␠x=1 mapfile␠x getopts␠a␠x declare␠-p export␠-p local exec builtin␠pwd caller␠0 suspend disown logout help kill␠-l kill␠-9␠$$ shopt trap
look
	ls ‹file›
	ls -la
	ls -R ‹file›
	cat ‹file›
	head -n ‹number› ‹file›
	head -‹number› ‹file›
	tail -n +2 ‹file›
	tail -5 ‹file›
	wc -l ‹words›
	wc ‹flag›
	grep -n ‹text› ‹file›
	grep -c ‹text› ‹words›
	grep -e ‹'text› -- ‹words›
	grep -f ‹file› ‹file›
	sort -t, -k2 ‹file›
	sort ‹file› | uniq
	diff ‹file› ‹file›
	diff -u ‹file› ‹file›
	diff -r ‹folder› ‹folder›
	diff -ruN ‹folder› ‹file›
	diff -r ‹flag› ‹folder› ‹folder›
	diff -r --from-file=‹folder› ‹words›
	diff --from-file=‹folder› ‹folder›
	grep -R ‹text› ‹words›
	grep -Rn ‹text› ‹folder›
	grep -Rl ‹text› ‹folder› | xargs ‹tool›
	grep -R --include=‹text› ‹text› ‹folder›
	sort -o /dev/null ‹file›
	sort ‹flag› -o /dev/null ‹words›
	cmp ‹file› ‹file›
	comm ‹file› ‹file›
	join ‹file› ‹file›
	paste ‹words›
	cut -d ‹text› -f ‹number› ‹file›
	tr ‹'text› ‹'text›
	stat -c ‹text› ‹file›
	file ‹words›
	du -sh ‹words›
	du --max-depth=1 ‹file›
	date ‹text›
	date +%s
	date -d ‹'text›
	date -r ‹file›
	date -f ‹file›
	basename ‹words›
	readlink -f ‹file›
	realpath ‹words›
	od -An -tx1 ‹file›
	xxd ‹file›
	xxd ‹file› ‹file›
	xxd -r ‹file› ‹file›
	xxd -l 5 ‹words›
	strings ‹file›
	shuf -n 1 ‹file›
	shuf -e ‹words›
	seq ‹number› ‹number›
	expr ‹word› : ‹word›
	expr ‹number› + ‹number›
	printf ‹'text› ‹words›
	echo ‹words›
	echo -e ‹'text›
	test ‹test›
	[ ‹test› ]
	[[ ‹condition› ]]
	type ‹word›
	command -v ‹word›
	which ‹words›
	printenv ‹var›
	ps ‹text›
	ps aux
	ps -ef
	ps ‹flag›
	pgrep ‹text›
	top -b -n1
	column -t -s, ‹file›
	nl -ba ‹file›
	pr -t ‹file›
	fold -w 10 ‹file›
	less ‹file›
	less ‹flag› ‹file›
	less +‹text› ‹file›
	more ‹file›
	more +/x ‹file›
	bc <<< ‹'text›
	bc ‹file›
	base64 -d ‹file›
	md5sum ‹words›
	md5sum -c ‹file›
	hexdump ‹words›
	hexdump -e ‹'text› ‹file›
	split ‹file›
	tree ‹file›
	rg ‹text› ‹words›
	rg --files
	tar tf ‹file›
	tar ‹flag› ‹file›
	unzip -l ‹file›
	gzip -c ‹file›
	gzip -l ‹file›
	zcat ‹file›
	read -r x y
	locale ‹flag›
	man ‹word›
	go version
	go env
	python3 --version
	gofmt -l ‹file›
	node --version
	perl -v
	make --version
	bash --version
	getconf ‹word›
	lsblk
	df ‹words›
	vmstat ‹words›
	numfmt ‹words›
	hostname ‹words›
	‹look› ‹redirect›
git = status status log log␠-1 log␠-p log␠--oneline diff diff␠HEAD diff␠--stat diff␠main␠other show show␠HEAD show␠HEAD:README.md branch branch␠-a branch␠-vv branch␠‹text› tag tag␠-l tag␠‹text› remote remote␠-v remote␠show␠origin
	remote␠add␠x␠y rev-parse␠HEAD rev-parse␠--show-toplevel rev-list␠HEAD ls-files ls-tree␠HEAD cat-file␠-p␠HEAD cat-file␠--batch cat-file␠--filters␠HEAD:README.md blame␠README.md grep␠x grep␠-n␠TODO describe
	describe␠--tags␠--dirty merge-base␠main␠other reflog reflog␠show reflog␠expire␠--all stash␠list stash stash␠show worktree␠list config␠-l config␠user.name config␠user.name␠x config␠--get␠user.name config␠get␠x for-each-ref
	symbolic-ref␠HEAD symbolic-ref␠HEAD␠refs/heads/other check-ignore␠x check-attr␠-a␠README.md count-objects␠-v shortlog␠-s␠HEAD show-ref show-branch name-rev␠HEAD cherry␠main range-diff␠HEAD␠HEAD␠HEAD notes␠list diff-tree␠HEAD
	diff-files diff-index␠HEAD ls-remote var␠-l version help archive␠HEAD bundle␠list-heads␠x add␠. commit␠-m␠x checkout␠other fsck gc verify-commit␠HEAD whatchanged difftool annotate␠README.md rev-parse␠--git-path␠x
	sparse-checkout␠list submodule␠status bisect␠log format-patch␠-1 hash-object␠-w␠README.md update-index␠--refresh read-tree␠HEAD write-tree credential␠fill daemon instaweb
gitflag = --stat -p -1 -n2 -- --output=pwned --output␠pwned --outp=pwned -o␠pwned --ext-diff --textconv --no-index -O./evil.sh -Ols --open-files-in-pager=./evil.sh --no-pager -P -p --paginate -c␠core.pager=./evil.sh -c␠diff.external=./evil.sh
	--exec-path=. --git-dir=evil/.git --work-tree=.. -C␠evil -C␠bare -C␠src --show-signature --format=%H --format=%G? --pretty=%an --oneline --graph --all --name-only --cached --color --abbrev=4 --since=1.day -Sx -Gx -L1,2:README.md
	--follow --contents=../out/secret.txt --ignore-revs-file=../out/secret.txt --filters --batch -f␠../out/secret.txt --sort=refname --column --list -l -v -a -r -d -m -D --set-upstream-to=other --unset-upstream --edit-description
	--remerge-diff --submodule=diff --stdin --no-optional-locks --literal-pathspecs --dirty --broken --merged HEAD HEAD~1 main..other @{-1} :/first --not --raw -z -q --quiet --exit-code --refresh --ita-invisible-in-index --relative
find
	.
	-name ‹'text›
	-type f
	-maxdepth 1 -print
	-name ‹glob›
	-exec touch pwned \;
	-exec cat {} +
	-ok cat {} \;
	-delete
	-fprint pwned
	-fprintf pwned x
	-fls pwned
	-printf ‹'text›
	-newer ‹file›
	-samefile ‹file›
	-files0-from list0
	-L
	-H
	-P
	-follow
	-regex ‹'text›
	-path ‹'text› -prune -o -print
	\( -name ‹'text› -o -type d \)
	! -name ‹'text›
	-not -empty
	-newerat ‹'text›
	-newermt ‹file›
	-execdir ./evil.sh \;
	-lname ‹'text›
	-size +1k
	-ls
	-quit
	-D exec
	-O3
	‹expansion›
	-name -exec touch pwned \;
	-name x -o -exec touch pwned \;
	-printf -delete
sed = p 1p 's/a/b/' 's/a/b/w␠pwned' 's/a/touch␠pwned/e' 'w␠pwned' 1w␠pwned '1e␠touch␠pwned' e '1!G;h;$!d' 's/a/b/;w␠pwned' 'y/abc/xyz/' '/a/,/b/p' 's|a|b|gw␠pwned' 'r␠../out/secret.txt' '$p' '1{p;p}' '1,2!d' '/x/s//y/' 's/a\⏎/b/e' 'a␠text' 'a\⏎e' 'i\␠w␠pwned' 'a␠x\⏎w␠pwned' '1c\⏎x⏎w␠pwned' ':a;s/x/y/;ta' 's/[/]w␠pwned/x/' 's/[^/]*/x/w␠pwned' 's,[,],x,e' '/[/]/e' '\,x,w␠pwned' 's/a/b/mw␠pwned' 'W␠pwned' 'R␠data.txt' 'F;=' '0~2p' '$!N;P;D'
	'b␠x;w␠pwned⏎:x' ':x;w␠pwned' '}w␠pwned' '#n⏎w␠pwned' 's/a/b/#e' '1,+2p' 'y/a\/b/c\/d/;e' 's/\(a\)/\1/e' 'sxaxbxe' 's⏎a⏎b⏎e' 'l␠5;e' 'q5;e' 'z;x' 's/a/b/0e' 's/a/b/M1gw/dev/stdout' '1~3d;v' --expression=e -ee -s -i --posix
awk = '{print}' '{print␠$1}' 'BEGIN{system("touch␠pwned")}' '{print␠>␠"pwned"}' '{print␠|␠"sh"}' '"touch␠pwned"|getline' '{print␠$1␠>␠$2}' '/x/' 'NR==1' 'NR>1' '{print␠($1>"pwned")}' '{print($1)>"pwned"}' '{printf␠"%s",$1␠>>"pwned"}'
	'{getline␠x␠<␠"../out/secret.txt";print␠x}' 'BEGIN{while(("cat␠"FILENAME)|getline)print}' '{close("x")}' '{x[$1]++}END{for(i␠in␠x)print␠i,x[i]}' '{gsub(/a/,"b");print}' '@load␠"x"' '{print␠/x>/␠}' '{print␠1/2>"pwned"}' '{print␠a/b>"pwned"/1}'
	'{print␠"a"␠"b"␠>"pwned"}' '{print⏎>"pwned"}' '{if(1>2)print;else␠print␠>"pwned"}' '{print␠1,2>3}' '{print␠(1)(2)>"pwned"}' '{print␠a[1>2]>"pwned"}' 'function␠f(x){print␠x>"pwned"}{f(1)}' '{print␠"\"">"pwned"}' '{print␠/[/]/>"pwned"}' '/[/]/{print>"pwned"}'
	'{print$1>"pwned"}' '{printf("%s",$1)>"pwned"}' '{print#x⏎>"pwned"}' '{print\⏎>"pwned"}' '{print␠x++/1>"pwned"#/}' '{print␠x␠?␠y␠:␠z>"pwned"}' '{print␠!x>"pwned"}' '{print␠$NF>"pwned"}' -f␠program -vx='$(touch␠pwned)' '{fflush()}' '{nextfile}' 'END{print␠NR}' '$2>1' '{sys="x"}' 'BEGIN{printf␠"x"␠|␠"cat␠1>&2"}'
jq = . .a .env '.scripts|keys' env '$ENV' '$ENV.PATH' '.a,$__loc__' 'input' 'inputs' 'input_filename' 'include␠"x";.' 'import␠"x"␠as␠x;.' '"\(env)"' '.["env"]' '.a.env' '."env"' 'debug' 'halt' '@sh' 'getpath(["a"])' 'get_search_list' 'def␠f:env;f' '{env}' '{$ENV}' '{a:.a}' '.. | env' '..env' 'limit(1;.a)' '"a#b"' '.a#␠env' '$__prog_args' 'modulemeta' 'ltrimstr("a")' '$x' 'ascii' 'input_line_number' 'splits("a")' '@base64d'
jqflag = -r -n -c -s -e -S --arg␠x␠y --argjson␠x␠1 --slurpfile␠x␠../out/secret.txt --slurpfile␠x␠data.csv --rawfile␠x␠data.txt -f␠program --from-file␠program -L␠. -Lsrc --args --jsonargs --tab --indent␠2 -nr -rn -R --seq --stream -C -M -a -j --exit-status -h --debug-dump-disasm -fr
filter
	cat
	sort ‹flag›
	sort
	uniq -c
	uniq ‹file› ‹file›
	uniq ‹file›
	wc -l
	head -n 1
	tail -1
	grep ‹flag› ‹text›
	grep ‹text›
	sed ‹sed›
	awk ‹awk›
	cut -d, -f1
	tr a-z A-Z
	tr ‹text› ‹text›
	rev
	nl ‹flag›
	fold -w 10
	paste -sd,
	column -t
	xxd ‹flag›
	od -c
	base64
	tac
	less
	more
	tee ‹file›
	tee /dev/null
	xargs ‹command›
	xargs
	while read x; do ‹command›; done
	jq ‹jq›
	bc
	sh
	bash
	shuf
	expand ‹flag›
	pr ‹flag›
	hexdump -C
	strings
	md5sum
	fmt
	comm - ‹file›
	join - ‹file›
	diff - ‹file›
	numfmt
	factor
	seq 3
	xargs echo
	xargs -I{} cat {}
reader = cat cat grep␠a wc sort head tr␠a␠b sed␠-n␠p awk␠'{print}' read␠x bash sh cat␠- od tail uniq jq␠. bc : read while␠read␠x;␠do␠echo␠$x;␠done cat␠/dev/fd/3␠3 sed␠-f␠-
wrapper
	timeout 2
	nice
	nice -n 5
	nohup
	stdbuf -o0
	time
	command
	builtin
	xargs
	xargs -n1
	env
	exec
	timeout -s KILL 1
	timeout --foreground 1
	timeout ‹flag› 1
	nice ‹flag›
	command -p
	command ‹flag›
	sudo
	setsid
	watch
	\time
	'timeout' 1
	nice -5
	busybox
	env -i
	stdbuf ‹flag›
	timeout 1 nice
	command command
	\command
act = touch␠pwned rm␠data.txt mv␠data.txt␠x cp␠data.txt␠x mkdir␠pwned ln␠-s␠/␠x tee␠pwned ./evil.sh ./cat evil.sh bash␠evil.sh sh␠-c␠'touch␠pwned' python3␠-c␠'open("pwned","w")' dd␠of=pwned sed␠-i␠s/a/b/␠data.txt chmod␠600␠data.txt truncate␠-s0␠data.txt install␠data.txt␠x
	\touch␠pwned 't'ouch␠pwned $(echo␠touch)␠pwned t{ou,}ch /usr/bin/touch␠pwned /usr/bin/t?uch␠pwned ~+/evil.sh make npm␠test curl␠http://127.0.0.1 nc␠-l␠1 kill␠-9␠-1 perl␠-e␠1 vi wget␠x ssh␠x less␠+!touch patch crontab␠-l script␠-c␠ls go␠test docker␠ps gh␠pr␠list
`

// dataText is what stands where only data should stand: it must not run.
const dataText = `
hostile
	touch pwned
	; touch pwned
	$(touch pwned)
	‵touch pwned‵
	./evil.sh
	&& ./evil.sh
	| ./cat
	> pwned
	x⏎touch pwned
	\
	' ; touch pwned '
	\'; touch pwned; \'
	"; touch pwned; "
	${x:=$(touch pwned)}
	} ; touch pwned
	) ; touch pwned
	EOF⏎touch pwned
	\⏎touch pwned
	a[$(touch pwned)]
	\n touch pwned
	# \⏎touch pwned
	'
	"
	<(touch pwned)
	\$(touch pwned)
	\\$(touch pwned)
	\‵touch pwned\‵
	'$(touch pwned)'
	!touch
body
	text
	‹hostile›
	‹hostile›⏎‹command›
	$x ${x}
	$(‹command›)
	‵‹command›‵
	EOF 
	 EOF
	EOF;‹command›
	\EOF
	a\
	‹words›
	'
	"
	\$(‹hostile›)
	$((‹number›))
	${x‹operator›}
	E\⏎OF
	system("touch pwned")
	w pwned
`
