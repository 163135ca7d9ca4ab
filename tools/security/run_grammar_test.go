package security_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// grammarOf reads a grammar: the name of a part, and after it the ways to write it,
// one a line after a tab, or in the same line after "=" with blanks between them.
// ⏎ is a line feed, ‵ a backquote, ␠ a blank in a way of the short form.
func grammarOf(texts ...string) map[string][]string {
	grammar, name, short := map[string][]string{}, "", false
	for line := range strings.SplitSeq(strings.Join(texts, "\n"), "\n") {
		line = strings.NewReplacer("⏎", "\n", "‵", "`").Replace(line)
		way, indented := strings.CutPrefix(line, "\t")
		if line == "" {
			continue
		}
		if !indented {
			name, way, short = strings.Cut(line, " = ")
		}
		switch {
		case short:
			for _, word := range strings.Split(way, " ") {
				grammar[name] = append(grammar[name], strings.ReplaceAll(word, "␠", " "))
			}
		case indented:
			grammar[name] = append(grammar[name], way)
		}
	}
	return grammar
}

// syntaxText is what bash makes lines of. The first way of each part ends.
const syntaxText = `
line
	‹command›
	‹command› | ‹command›
	‹command› ‹redirect›
	‹redirect› ‹command›
	‹command› && ‹command›
	‹command›; ‹command›
	‹command› || ‹command›
	‹command› |& ‹command›
	‹command› & ‹command›
	(‹list›)
	{ ‹list›; }
	! ‹command›
	time ‹command›
	time -p ‹command›
	‹assign› ‹command›
	‹assign›; ‹command›
	‹assign›; ‹command› $‹var›
	‹assign›; ‹command› "$‹var›"
	‹assign›; $‹var› ‹file›
	if ‹list›; then ‹list›; else ‹list›; fi
	if ‹list›; then ‹list›; elif ‹list›; then ‹list›; fi
	while ‹command›; do ‹list›; break; done
	until ‹command›; do ‹list›; break; done
	for ‹var› in ‹words›; do ‹command› $‹var›; done
	for ‹var› in ‹words›; do ‹command› "$‹var›"; done
	for ‹var› do ‹command›; done
	for ((‹var›=0; ‹var›<2; ‹var›++)); do ‹command›; done
	select ‹var› in ‹words›; do ‹command›; done
	case ‹word› in ‹word›) ‹list›;; *) ‹list›;; esac
	case ‹word› in (‹word›|‹word›) ‹list›;& *) ‹list› ;; esac
	case ‹word› in ‹plain›) ‹command› ;;& esac
	‹name›() { ‹list›; }; ‹name›
	‹name›() (‹list›); ‹name› ‹words›
	function ‹name› { ‹list›; }; ‹name›
	function ‹name›() ‹list›
	[[ ‹condition› ]] && ‹command›
	[[ ‹condition› ]]; ‹command›
	test ‹test› && ‹command›
	[ ‹test› ] || ‹command›
	(( ‹number› )); ‹command›
	cd ‹file› && ‹command›
	cd ‹folder› && ‹command›
	cd ‹folder› && ‹tool› *
	cd ‹folder›; ‹tool› ‹text› *
	(cd ‹folder›; ‹command›); ‹command›
	pushd ‹folder› && ‹command›
	cd ‹folder›; ‹command›
	coproc ‹command›
	‹command› | while read -r ‹var›; do ‹command›; done
	‹command› | while read ‹var›; do ‹command› "$‹var›"; done
	read ‹var› < ‹file›; ‹command› $‹var›
	‹command› | ‹filter›
	‹command› | ‹filter› | ‹filter›
	‹command› | tee
	‹command› | xargs ‹command›
	find ‹folder› -exec ‹tool› ‹flag› {} +
	find ‹folder› -exec ‹tool› ‹text› {} \;
	find ‹folder› -type f -exec ‹command› {} +
	find ‹folder› ‹flag› | xargs ‹tool› ‹flag›
	find ‹folder› | xargs ‹tool› ‹text›
	find . -print0 | xargs -0 ‹tool›
	find . -name ‹'glob› | ‹filter› | xargs ‹command›
	find ‹folder› | xargs -I{} ‹tool› ‹text› {}
	grep -rl ‹text› ‹folder› | xargs ‹tool›
	for ‹var› in ‹file› ‹file›; do ‹tool› "$‹var›"; done
	for x in ‹glob›; do ‹tool› ‹flag› "$x"; done
	x=‹file›; ‹tool› $x "$x"
	x=‹'flag›; ‹tool› $x ‹file›
	cd ‹folder› && find . | xargs ‹tool›
	find ‹folder› ‹flag› | while read -r f; do ‹tool› ‹flag› "$f"; done
	find ‹folder› | while ‹reads› f; do ‹tool› "$f"; done
	find . -print0 | while ‹reads› -d '' f; do ‹tool› ‹flag› "$f"; done
	‹names› | while ‹reads› f; do ‹command› "$f"; done
	‹names› | ‹filter› | while ‹reads› f; do ‹look› "$f"; done
	‹names› | xargs ‹tool› ‹flag›
	cd ‹folder› && ‹names› | while ‹reads› f; do ‹tool› "$f"; done
	X=‹file›; ‹tool› $X "$X"
	‹var›=‹'flag›; ‹tool› $‹var› ‹file›
	DIR=‹folder›; cd $DIR && ‹tool› *
	for F in ‹words›; do ‹tool› ‹flag› "$F"; done
	x=‹file›; ‹tool› "${x‹operator›}" ${x‹operator›}
	for f in ‹words›; do ‹tool› "${f‹operator›}"; done
	git ‹git› ‹gitflag› $(git merge-base HEAD ‹text›) ‹gitflag›
	git ‹git› "$(git rev-parse --verify HEAD)"..‹word›
	cd ‹folder›; git ‹git›
	‹tool› ‹flag› ‹text› ‹glob›
	cd ‹folder› && ‹tool› ‹flag› *
	‹wrapper› ‹command›
	‹wrapper› ‹wrapper› ‹command›
	‹command› $(‹list›)
	‹command› "$(‹list›)"
	‹command› ‵‹command›‵
	‹command› <(‹list›)
	‹command› <(‹list›) >(‹list›)
	‹command› $((‹number›))
	‹command› "${‹var›‹operator›}"
	‹command› ${‹var›‹operator›}
	‹command› # ‹hostile›
	‹command› #‹hostile›
	‹command› '‹hostile›'
	‹command› "‹hostile›"
	‹command› $'‹hostile›'
	echo '‹hostile›'
	echo "‹hostile›" | ‹filter›
	echo ‹words›
	echo ‹unquoted›
	echo ‹unquoted› ‹unquoted›
	‹shows› ‹unquoted›
	‹shows› ‹word› ‹unquoted›
	for ‹var› in ‹unquoted›; do ‹shows› ‹shown›; done
	for x in ‹words›; do ‹shows› ‹unquoted›; done
	x=‹unquoted›; ‹shows› ‹shown›
	x=‹'file›; y=$x; ‹shows› $y ‹shown›
	x=‹plain›; y='*'; ‹shows› ‹shown›/$y
	x=(‹unquoted› ‹word›); ‹shows› ‹shown›
	‹prints› | while ‹reads› x; do ‹shows› ‹shown›; done
	while ‹reads› x; do ‹shows› ‹shown›; done < patterns
	while ‹reads› x; do ‹shows› ‹shown›; done <<EOF⏎‹pattern›⏎‹body›⏎EOF
	read ‹var› <<< ‹'pattern› && ‹shows› ‹shown›
	x=‹'pattern›; ‹shows› ‹shown›
	x=‹folder›; y=‹'pattern›; ‹shows› $x/$y ‹shown›
	f() { ‹shows› ‹shown›; }; f ‹'pattern›
	f() { for x in "$@"; do ‹shows› ‹shown›; done; }; f ‹'pattern›
	cd ‹folder› && ‹shows› ‹unquoted›
	cd ‹folder› && for x in *; do ‹shows› ‹shown›; done
	if ‹command›; then x=‹plain›; else x=‹unquoted›; fi; ‹shows› ‹shown›
	IFS=‹letter›; ‹shows› ‹unquoted›
	printf '%s\n' ‹words›
	printf ‹word› ‹words›
	set -e; ‹list›
	set -‹letter›; ‹list›
	shopt -s ‹option›; ‹command›
	trap '‹hostile›' ‹signal›; ‹command›
	eval ‹'command›
	exec ‹redirect›; ‹command›
	‹command› -- ‹words›
	‹command›⏎‹command›
	‹command› # x⏎‹command›
	‹command› \⏎ ‹words›
	‹command› |⏎‹command›
	# ‹hostile›⏎‹command›
	‹reader› <<EOF⏎‹body›⏎EOF
	‹reader› <<'EOF'⏎‹body›⏎EOF
	‹reader› <<"EOF"⏎‹body›⏎EOF⏎‹command›
	‹reader› <<-EOF⏎	‹body›⏎	EOF
	‹reader› <<\EOF⏎‹body›⏎EOF⏎
	‹reader› <<E''OF⏎‹body›⏎EOF⏎‹command›
	‹reader› <<A <<B⏎‹body›⏎A⏎‹body›⏎B
	‹reader› <<EOF | ‹filter›⏎‹body›⏎EOF
	‹reader› <<EOF && ‹command›⏎‹body›⏎EOF
	‹reader› <<'E F'⏎‹body›⏎E F⏎‹command›
	‹reader› <<$x⏎‹body›⏎$x⏎‹command›
	‹reader› <<EOF⏎‹body›⏎ EOF⏎EOF ⏎EOF⏎‹command›
	(‹reader› <<EOF⏎‹body›⏎EOF⏎)
	‹command› $(‹reader› <<EOF⏎‹body›⏎EOF⏎)
	‹command› "$(‹reader› <<'EOF'⏎‹body›⏎EOF⏎)"
	‹reader› <<EOF⏎‹body›
	‹reader› <<'EOF'⏎‹body›\⏎EOF⏎‹command›⏎EOF
	‹reader› ‹redirect› <<EOF ‹words›⏎‹body›⏎EOF⏎‹command›
shows = echo printf␠'%s\n' printf␠%s basename type which command␠-v seq expr : dirname ls wc cat basename␠-a head grep␠x test␠a true export mkdir
shown
	$x
	"$x"
	${x}
	$x$x
	$x*
	x$x
	/$x
	../$x
	$x/x
	$x:
	${x%a}
	${x##*/}
	${x#src}
	${x‹operator›}
	$‹var›
	$1
	$@
	$_
	$REPLY
	$OLDPWD
	{a,$x}
	$(echo $x)
	$(basename "$x")
	$(printf %s "$x")
	$(echo "$x" | ‹narrow›)
	<(echo $x)
unquoted
	$(‹prints›)
	‵‹prints›‵
	$(‹prints› | ‹narrow›)
	$(‹prints› | ‹narrow› | ‹narrow›)
	$(‹prints› ‹redirect›)
	$(‹prints›; ‹prints›)
	$(‹prints› && ‹prints› || ‹prints›)
	$(cd ‹folder› && ‹prints›)
	$(basename $(‹prints›))
	$(basename "$(‹prints›)")
	a$(‹prints›)
	../$(‹prints›)
	$(‹prints›)/x
	$(‹prints›)$(‹prints›)
	{a,$(‹prints›)}
	$(echo $(‹prints›))
	$(echo "$(‹prints›)" | ‹narrow›)
	$(while ‹reads› x; do ‹shows› ‹shown›; done < patterns)
	$(for x in ‹words›; do ‹shows› ‹shown›; done)
	$(<patterns)
	‹expansion›
prints
	echo ‹'pattern›
	printf ‹'pattern›
	printf '%s\n' ‹'pattern›
	echo -e '..\x2f\x2a'
	printf '..\057\052'
	cat patterns
	cat < patterns
	cat ‹words›
	head -1 patterns
	grep x patterns
	ls
	ls ‹flag›
	ls ‹folder›
	ls ‹words›
	ls -d ‹glob›
	find ‹folder›
	pwd
	pwd -P
	wc -l patterns
	wc -l ‹words›
	wc -l *
	du -s ‹words›
	stat -c ‹text› ‹words›
	stat -c '%n %N' ‹words›
	date ‹'pattern›
	date +%s
	git ‹git›
	git ‹git› ‹words›
	git branch
	git branch --show-current
	git tag
	git log -1 --format=‹text›
	git log -1 --format=%s
	git ls-files
	git config a.b
	git rev-parse ‹word›
	git describe ‹flag›
	git diff --name-only
	basename ‹words›
	basename -a ‹words›
	dirname ‹words›
	seq ‹number›
	expr ‹word› : ‹word›
	expr ‹word›
	which ‹words›
	type ‹word›
	command -v ‹words›
	grep -c x ‹words›
	grep -rc x ‹folder›
	grep -l x ‹words›
	tr a '*' <<< ‹word›
	sed ‹sed› patterns
	awk ‹awk› patterns
	awk '{print $1}' patterns
	cut ‹flag› patterns
	jq -r ‹jq› config.json
	xargs echo < patterns
	id ‹word›
	hostname ‹flag›
	nproc ‹flag›
	uname -a
	printenv HOME
	true ‹words›
	‹command›
	‹tool› ‹flag› ‹words›
narrow = head␠-1 tail␠-1 sort cat uniq rev tac tr␠a␠b tr␠-d␠'\n' tr␠-d␠x tr␠a-z␠A-Z tr␠n␠/ tr␠'a-z'␠'!-+' cut␠-c1-20 cut␠-d/␠-f1 cut␠-f1 wc␠-l awk␠'{print␠$1}' awk␠'{print␠$NF}' awk␠-F/␠'{print␠$1}'
	sed␠s/a/b/ sed␠'s/a/*/' sed␠'s|a|/|g' grep␠. grep␠-v␠x grep␠-o␠. grep␠-c␠x sort␠-u head␠-n␠2 tee xargs xargs␠-n1␠basename cat␠patterns cat␠- sed␠-n␠1p
pattern = ../out/* ../out/s* ../o[u]t/* /etc/h* ~/.ssh/* x␠../out/* ../out/?ecret.txt * */* .* [a-z]* a ../out/[r-t]ecret.txt /proc/self/cwd/../out/* linked/* src/../../out/* \* ../*/secret.txt
reads
	read -r
	read
	IFS= read -r
	IFS=. read
	read -r x
	read -n 3
names
	ls
	ls -1
	ls ‹flag›
	ls ‹folder›
	find ‹folder›
	find ‹glob› -type f
	grep -l ‹text› ‹words›
	grep -rl ‹text› ‹folder›
	rg -l ‹text› ‹folder›
	rg --files ‹folder›
list
	‹command›
	‹command›; ‹command›
	‹command› && ‹command›
	‹command› || ‹command›
	‹command› | ‹filter›
	‹line›
joint
	; 
	 && 
	 || 
	 | 
	⏎
	 & 
	 ;
	&&
	 # 
	 |⏎
	 \⏎
	 2>&1 | 
	 >/dev/null; 
word
	‹file›
	‹'file›
	‹text›
	‹'text›
	‹'flag›
	‹flag›
	‹expansion›
	‹'hostile›
words
	‹word›
	‹word› ‹word›
	‹file› ‹file›
	‹word› ‹word› ‹word›
	‹folder›/*
	‹expansion›
file
	‹plain›
	‹plain›
	‹plain›
	‹plain›
	‹'plain›
	‹glob›
	‹odd›
	‹folder›/‹plain›
plain = data.txt README.md docs/notes.txt src/a.go config.json app.log data.csv ./data.txt src/b.go go.mod package.json main.go . src docs
folder = src docs . .. ./src flags more deep sums zero evil bare tool names packed linked self ./. docs/.. -
glob = *.txt src/* d* ?ata.txt [a-d]*.txt * ./* {data.txt,README.md} {src,docs}/* data.{txt,csv} src/[ab].go *.{go,txt} [!x]*.md **/* {1..3} flags/* more/* .* [[:alpha:]]*.txt
odd = - -- -o -n -R --output=pwned nosuch ../out/secret.txt outlink linked/secret.txt self/data.txt ~/.bashrc ~ ~/.ssh/id_rsa $HOME/.bashrc "$PWD/data.txt"
	$PWD/data.txt ~+/data.txt ~- ../proj/data.txt src/../data.txt .git/HEAD .git/index HEAD main other v1 HEAD~1 @{u} a\␠b.txt 'a␠b.txt' "a?b.txt" +x @args x=1 evil.sh ./evil.sh :/ :!src
	/dev/null /dev/stdin /dev/fd/0 /dev/tty /dev/stdout /proc/self/environ /etc/hostname list0 program pwned "" '' "$(pwd)/data.txt" $0 $$ $! "$@" $* !$ ^a^b data.txt; {} + \; ( !
text = x a 1 10 -1 +2 TODO 'hello␠world' "a␠b" 's/a/b/' '%s' 1,2 '/a/' p '{print}' . .a 'a|b' \* \' '"' '$x' a=b a:b @x %H ',' '\n' 日本 0x1f 1d x[1] ~x =ls
flag = -n -l -a -r -i -o -c -e -f -s -v -w -x -z -R -L -0 -1 -5 -n1 -n5 -la -rn -no -ro --help --version --output=pwned --output --out=pwned -opwned -o=pwned -ofpwned
	--in-place --files0-from=list0 --files0-from=- --pre=./evil.sh --compress-program=./evil.sh --exec=./evil.sh -exec --null --recursive --color=always --color -- - -fpwned -f␠program --file=program
	--from-file=program -e1 -E -u -U3 -p -d, -t: -k2 -F, -vx=1 -C␠src -C␠evil -I{} -P2 -T -S -delete -print -print0 -name -type -O -Ols --open-files-in-pager=ls --ext-diff --textconv --no-index
	--contents=pwned -w80 -A1 -B1 -m1 --no-pager --git-dir=evil/.git -X --dereference
var = x x y cat ls PATH IFS HOME PWD OLDPWD BASH_ENV ENV PAGER GIT_PAGER LESSOPEN GIT_DIR GIT_EXTERNAL_DIFF LC_ALL TZ PS4 PROMPT_COMMAND 1 @ * # ? ! a[0] _ X DIR FOO REPLY RANDOM SHELLOPTS BASH_CMDS CDPATH GLOBIGNORE TMPDIR LD_PRELOAD {x} x[1]
name = f f g cat ls git echo cd test [ f-g :
letter = e u x v f o n a k T B H m p euo eu
option = extglob nullglob dotglob globstar expand_aliases lastpipe failglob nocaseglob
signal = EXIT DEBUG ERR 0 INT RETURN
number = 1 1+1 x x+1 a[0] a[$(touch␠pwned)] 1?2:3 x=1 ++x 16#ff 010 $x $(touch␠pwned) 1,2 !1 ~1 x[1] 1<2 (1) 1)␠(2
operator = :-x :=x -x +x :+x :?x ?x #a ##a %a %%a /a/b //a/b ^ ^^ , ,, @Q @P @A @E :0 :0:1 [0] [@] :-$(touch␠pwned) =$(touch␠pwned) :-‵touch␠pwned‵ }$(touch␠pwned){
assign
	x=‹file›
	x=‹'file›
	x='‹hostile›'
	x=$(‹command›)
	‹var›=‹file›
	‹var›=.:$PATH
	LC_ALL=C
	TZ=UTC
	x+=‹file›
	x=(‹words›)
	x[0]=‹file›
	x[$(‹command›)]=1
	export x=‹file›
	export ‹var›=‹file›
	declare x=‹file›
	declare -i x=‹number›
	declare -n x=‹var›
	local x=1
	readonly x=‹file›
	unset ‹var›
	read x <<< ‹file›
	x=1 y=‹text›
	printf -v x ‹text›
	x= 
	IFS=,
	LESSOPEN='|./evil.sh %s'
	GIT_EXTERNAL_DIFF=./evil.sh
	PAGER=./evil.sh
expansion
	$x
	"$x"
	${x}
	$(‹command›)
	"$(‹command›)"
	‵‹command›‵
	"‵‹command›‵"
	<(‹command›)
	>(‹command›)
	$((‹number›))
	$[‹number›]
	${x‹operator›}
	"${x‹operator›}"
	~/‹plain›
	$HOME/‹plain›
	"$HOME"
	$PWD/‹plain›
	$(<‹file›)
	"$@"
	!(‹plain›)
	@(‹plain›)
	{‹plain›,‹flag›}
	{-,‹plain›}
	$'\x2d'n
	${!x}
	${#x}
	$(( $(‹command›) ))
	$( (‹command›) )
	$((‹command›) )
	"$(echo "$(‹command›)")"
redirect
	2>/dev/null
	2>&1
	>/dev/null
	< ‹file›
	<‹file›
	<<< ‹word›
	<<<‹word›
	&>/dev/null
	>&2
	1>&2
	<&0
	2>&-
	0<&-
	>/dev/stdout
	>/dev/fd/1
	3< ‹file›
	<> ‹file›
	0<>‹file›
	> pwned
	>pwned
	>>pwned
	>|pwned
	&>pwned
	&>>pwned
	>&pwned
	<&‹file›
	{fd}>pwned
	{fd}<‹file›
	2>pwned
	2>>‹file›
	>&1pwned
	>/dev/null/../pwned
	>/dev/../$PWD/pwned
	>$x
	>"$x"
	>'‹plain›'
	> ~/pwned
	>/dev/tcp/127.0.0.1/80
	</dev/tcp/127.0.0.1/80
	>(‹command›)
	<(‹command›)
	< <(‹command›)
	> >(‹command›)
	9>&1 >&9
	>&-
	>/dev/nul?
	>/dev/{null,full}
	2>&1 >pwned
	>\&1
	>& 1
	>&$x
	>/dev/stderr/../../../pwned
	<‹file› >/dev/stdin
	<‹file› >/dev/fd/0
	63<‹file› >/dev/fd/63
	3<‹file› >&3
	<‹file› 2>/dev/stdin
	</dev/fd/63
	1<‹file› >/dev/stdout
	2<‹file› 2>/dev/stderr
	1<‹file›
	<‹file› >&0
	1<‹file› 2>&1
condition
	-f ‹file›
	-n ‹word›
	‹word› == ‹word›
	‹word› = ‹glob›
	‹word› =~ ‹text›
	‹word› -eq ‹number›
	1 -lt 2
	-v ‹var›
	-v x[$(‹command›)]
	! -e ‹file›
	-z $(‹command›)
	( -d ‹file› && ‹word› != ‹word› )
	‹file› -nt ‹file›
	-t 1
	-o nounset
	‹word› < ‹word›
	$x -eq 1
test
	-f ‹file›
	-n ‹word›
	‹word› = ‹word›
	1 -eq 2
	! -e ‹file›
	-d ‹file› -a -n ‹word›
	‹word› -eq ‹number›
	-v x[$(‹command›)]
	‹word› > ‹word›
	‹words›
	-v ‹var›
	-t x[$(touch pwned)]
	-z
`

// TestGrammar: whatever a way of the grammar needs is there.
func TestGrammar(t *testing.T) {
	t.Parallel()
	grammar := grammarOf(syntaxText, commandText, dataText)
	for name, all := range grammar {
		for _, way := range all {
			for _, part := range strings.Split(way, "‹")[1:] {
				part, _, ok := strings.Cut(part, "›")
				require.True(t, ok, way)
				require.NotEmpty(t, grammar[strings.TrimPrefix(part, "'")], "%s: %s", name, way)
			}
		}
	}
}
