package shellparse

// The following tables list flags of git with which it only reads, as gitFlagKind reads
// them. A flag that is missing may be equally harmless: it only causes a question.
//
// Left out on purpose are flags that write or read files (--output, -O, --contents,
// --no-index), that start programs (--ext-diff, --textconv, --show-signature,
// --remerge-diff, --open-files-in-pager), that enter submodules, and --stdin, which
// reads further options.

// gitDiffFlags format a diff. Source: git-diff(1), git 2.39.
const gitDiffFlags = `
	-p -u --patch -s --no-patch -U= --unified? -W --function-context --no-function-context
	--output-indicator-new= --output-indicator-old= --output-indicator-context=
	--raw --patch-with-raw --indent-heuristic --no-indent-heuristic --minimal --patience --histogram
	--anchored= --diff-algorithm= --stat? --stat-width= --stat-name-width= --stat-graph-width= --stat-count=
	--compact-summary --no-compact-summary --numstat --shortstat -X? --dirstat? --cumulative --dirstat-by-file?
	--summary --patch-with-stat -z --name-only --name-status --submodule? --color? --no-color
	--color-moved? --no-color-moved --color-moved-ws= --no-color-moved-ws --word-diff? --word-diff-regex=
	--color-words? --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight=
	--full-index --binary --abbrev? --no-abbrev -B? --break-rewrites? -M? --find-renames? -C? --find-copies?
	--find-copies-harder -D --irreversible-delete --diff-filter= -l= -S= -G= --pickaxe-all --pickaxe-regex
	--skip-to= --rotate-to= -R --relative? --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol
	-b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -I= --ignore-matching-lines=
	--inter-hunk-context= --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules?
	--src-prefix= --dst-prefix= --no-prefix --line-prefix= --ita-invisible-in-index --ita-visible-in-index`

// gitCompareFlags choose the objects of a comparison. Source: git-diff(1),
// git-diff-tree(1), git-diff-index(1), git-diff-files(1).
const (
	gitCompareFlags = ` --cached --staged --merge-base --base --ours --theirs -0 -#`
	gitTreeFlags    = ` -r -t --root -m -c --cc --combined-all-paths --no-commit-id --pretty? --format= --always -v
		--diff-merges=`
)

// gitRevisionFlags choose commits. Source: git-rev-list(1), git-log(1).
const gitRevisionFlags = `
	-# -n= --max-count= --skip= --since= --after= --since-as-filter= --until= --before= --max-age= --min-age=
	--author= --committer= --grep-reflog= --grep= --all-match --invert-grep -i --regexp-ignore-case
	--basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty --merges --no-merges
	--min-parents= --max-parents= --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only
	--not --all --branches? --tags? --remotes? --glob= --exclude= --exclude-hidden= --reflog --single-worktree
	--ignore-missing --cherry-mark --cherry-pick --left-only --right-only --cherry -g --walk-reflogs --merge
	--boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges
	--ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk`

// gitCommitFlags format commits. Source: git-log(1).
const gitCommitFlags = `
	--pretty? --format= --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs? --no-expand-tabs
	--notes? --no-notes --show-notes? --standard-notes --no-standard-notes --no-show-signature --relative-date --date=
	--parents --children --left-right --graph --no-graph --show-linear-break? --log-size --source
	--decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations
	--mailmap --no-mailmap --use-mailmap --no-use-mailmap --follow --no-follow --full-diff -L= -q
	-m -c --cc --combined-all-paths --diff-merges= --no-diff-merges -r -t --root`

// gitListFlags are the flags of rev-list in addition to gitRevisionFlags.
const gitListFlags = `
	--objects --objects-edge --count --disk-usage? --header --timestamp --commit-header --no-commit-header
	--use-bitmap-index --filter= --no-filter --in-commit-order --unpacked --object-names --no-object-names --quiet
	--pretty? --format= --abbrev? --no-abbrev --abbrev-commit --no-abbrev-commit --oneline --parents --children --left-right
	--graph --date= --encoding=`

// gitRefFlags list refs. Source: git-branch(1), git-tag(1), git-for-each-ref(1).
const gitRefFlags = `
	--contains= --no-contains= --merged= --no-merged= --points-at= --sort! --format= --color? --no-color`

// gitColumnFlags are the flags of branch and tag in addition to gitRefFlags.
const gitColumnFlags = ` -l --list -i --ignore-case --column? --no-column --omit-empty`

// gitGrepFlags are the flags of grep. Source: git-grep(1).
const gitGrepFlags = `
	--cached --untracked --exclude-standard --no-exclude-standard -v --invert-match -i --ignore-case -w --word-regexp
	-a --text -I --no-textconv -r --recursive --no-recursive --max-depth= -E --extended-regexp -G --basic-regexp
	-F --fixed-strings -P --perl-regexp -n --line-number --column -h -H --full-name -l --files-with-matches --name-only
	-L --files-without-match -z --null -o --only-matching -c --count --color? --no-color --break --heading
	-C= --context= -B= --before-context= -A= --after-context= --threads= -# -p --show-function -W --function-context
	-f< -e! --and --or --not -q --quiet --all-match -m= --max-count=`

// gitBlameFlags are the flags of blame. Source: git-blame(1).
const gitBlameFlags = `
	--incremental -b --root --show-stats --progress --no-progress --score-debug -f --show-name -n --show-number
	-p --porcelain --line-porcelain -c -t -l -s -e --show-email -w --ignore-rev= --ignore-revs-file< --color-lines
	--color-by-age --minimal -C? -M? -L= --abbrev? --since= --first-parent --date= --reverse`

// gitConfigFlags read the configuration. --includes is left out, because it follows
// paths in a file that -f names. Source: git-config(1).
const (
	gitConfigFlags = `
	--global --system --local --worktree -f< --file< --blob= --fixed-value --type= --bool --int --bool-or-int --bool-or-str
	--path --expiry-date -z --null --name-only --show-origin --show-scope --default=`
	gitConfigActions = ` --get --get-all --get-regexp --get-urlmatch -l --list`
)
