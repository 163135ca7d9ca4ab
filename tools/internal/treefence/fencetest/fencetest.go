// Package fencetest has ways to write in a checkout that a fence around a worktree of it has to
// close.
package fencetest

import "strings"

// Lines returns lines of a shell that would change a checkout, or might, when they run in a
// worktree three directories below it that has the file src/a.txt and the link "link" to the
// src of the checkout. Some are wrong or name programs that need not be there.
func Lines(checkout string) []string {
	list := []string{
		"echo x > MAIN/src/new", "echo x > ../../../src/new", "echo x > link/new", "cd ../../.. && echo x > src/new", "cd MAIN", "(cd MAIN/src; make)", "pushd ../../.. && make",
		"cp src/a.txt MAIN/src/new", "mv src/a.txt MAIN/src/new", "sed -i s/one/two/ MAIN/src/a.txt", "tee MAIN/src/new < src/a.txt", "rm -rf MAIN/src", "rm -r ../../../src", "touch MAIN/src/*", "mkdir MAIN/x",
		"ln -s MAIN/src here && echo x > here/new", "git -C ../../.. commit --allow-empty -m x", "git -C MAIN add -A", "git -C MAIN switch -c evil", "git -C MAIN/src rm a.txt", "git --work-tree=MAIN checkout -f", "git --work-tree ../../.. reset --hard HEAD~0",
		"git --git-dir=MAIN/.git commit --allow-empty -m x", "git --git-dir ../../../.git update-ref refs/heads/evil HEAD", "GIT_DIR=MAIN/.git git commit --allow-empty -m x", "GIT_DIR=../../../.git git switch -c evil", "GIT_WORK_TREE=MAIN git checkout -f",
		"GIT_INDEX_FILE=MAIN/.git/index git add -A", "export GIT_DIR=MAIN/.git; git commit --allow-empty -m x", "env GIT_WORK_TREE=MAIN git reset --hard", "git -c core.worktree=MAIN checkout -f", "git config core.worktree MAIN",
		"make -C MAIN", "make -C ../../..", "env -C MAIN make", "timeout 5 make -C MAIN", "sh -c 'cd MAIN && make'", "sh -c 'git -C MAIN commit --allow-empty -m x'", "find MAIN -name a.txt -delete", "xargs -I{} cp src/a.txt MAIN/{} <<< new",
		"X=MAIN; echo x > $X/src/new", "cd $(git rev-parse --git-common-dir)/.. && make", "eval 'echo x > ../../../src/new'", "D=../../..; cd $D && make", "git -C $(pwd)/../../.. commit --allow-empty -m x", "echo 'gitdir: MAIN/.git' > .git", "rm .git", "rm -rf \"$PWD\"; git add -A", "find . -delete; git -c core.x=y reset --hard", "git worktree add MAIN/x", "git clone . MAIN/x",
		"git push MAIN HEAD:evil", "git push ../../.. HEAD:evil", "git fetch MAIN main:evil", "patch -d MAIN -p1 < src/a.txt", "patch MAIN/src/a.txt src/a.txt", "python3 -m venv MAIN/v", "chroot MAIN touch x", "make -f MAIN/Makefile", "cmake -B MAIN/build", "flock MAIN/new touch x",
		"CDPATH=MAIN; cd src; touch new", "CDPATH=../../.. cd src; touch new",

		// Editors, whose commands name files.
		`ex -s -c 'w MAIN/src/new' -c q src/a.txt`, `ex -sc 'w!../../../src/new|q' src/a.txt`, `vim -es -c 'w MAIN/src/new' -c q src/a.txt`, `vim '+w MAIN/src/new' +q src/a.txt`, `vi -c ":w MAIN/src/new" -c q src/a.txt`,
		`ed -s src/a.txt <<< 'w MAIN/src/new'`, `ex -s src/a.txt <<< 'w ../../../src/new'`, `printf 'w MAIN/src/new\nq\n' | ed -s src/a.txt`, `emacs --batch src/a.txt --eval '(write-file "MAIN/src/new")'`,
		`sed -n 'w MAIN/src/new' src/a.txt`, `sed 's/one/two/w ../../../src/new' src/a.txt`, `sed -i.bak s/one/two/ ../../../src/a.txt`, `sed --in-place=MAIN/src/* s/one/two/ src/a.txt`, `perl -pi -e s/one/two/ MAIN/src/a.txt`, `perl -e 'open(F,">MAIN/src/new")'`, `ruby -i -pe 'x' MAIN/src/a.txt`,
		`awk '{print > "MAIN/src/new"}' src/a.txt`, `awk -v f=MAIN/src/new '{print > f}' src/a.txt`, `gawk -i inplace 1 MAIN/src/a.txt`, `sqlite3 x.db "ATTACH 'MAIN/x.db' AS y; CREATE TABLE y.t(a)"`, `sqlite3 x.db '.output ../../../new' 'select 1'`,
		`python3 -c "open('../../../src/new','w')"`, `node -e 'require("fs").writeFileSync("MAIN/src/new","x")'`, `git -c core.editor='ex -c "w MAIN/x"' commit`, `GIT_EDITOR='ex -c "w MAIN/x"' git commit`,

		// Variables in which programs find a directory.
		"TMPDIR=MAIN mktemp", "TMPDIR=../../.. mktemp", "TMPDIR=$PWD/../../.. mktemp", "export TMPDIR=MAIN; mktemp", "env TMPDIR=MAIN mktemp", "env -S 'TMPDIR=MAIN mktemp'", "HOME=MAIN touch x", "XDG_CACHE_HOME=MAIN/c npm install", "DESTDIR=MAIN make install", "make DESTDIR=MAIN install", "HISTFILE=MAIN/src/new bash -i -c ls",

		// Options that hold a directory beside something else.
		"docker run -v MAIN:/x alpine touch /x/new", "docker run -vMAIN:/x alpine touch /x/new", "docker run --volume=../../..:/x alpine touch /x/new", "docker run --mount type=bind,source=MAIN,target=/x alpine touch /x/new", "docker run --mount type=bind,src=../../..,dst=/x alpine touch /x/new",
		`docker run -v "$PWD/../../..":/x alpine touch /x/new`, "docker cp c:/x MAIN/src/new", "docker compose --project-directory MAIN up", "podman run -v MAIN:/x:Z alpine touch /x/new",
		"tar -xf x.tar -CMAIN", "tar -xf x.tar --directory=MAIN", "unzip x.zip -d MAIN", "curl -o MAIN/x http://127.0.0.1:1/", "wget -P MAIN http://127.0.0.1:1/x", "npm --prefix ../../.. install", "cargo build --target-dir=MAIN/t", "go build -o MAIN/x ./...", "gcc -oMAIN/x x.c", "rsync -a --backup-dir=MAIN/b src/ dst/",

		// Names that arrive by another way.
		"echo MAIN/src/new | xargs touch", "printf '%s\\n' ../../../src/new | xargs touch", "find src -exec cp {} MAIN/src/new \\;", "find . -fprint MAIN/src/new", "ssh localhost touch MAIN/src/new", "at now <<< 'touch MAIN/src/new'", "trap 'touch MAIN/src/new' EXIT", "exec 3> MAIN/src/new", "read d <<< MAIN; touch $d/new", "set -- MAIN; touch $1/new",
		"ln src/a.txt MAIN/here", "ln MAIN/src/a.txt here && echo x > here", "cp -l MAIN/src/a.txt here && echo x > here", "mount --bind MAIN src", "OLDPWD=MAIN; cd -; touch new", "GIT_TRACE=MAIN/src/new git status", "git format-patch -o MAIN HEAD", "git rebase --exec 'touch MAIN/src/new' HEAD", "git bisect run touch MAIN/src/new",
	}
	for i := range list {
		list[i] = strings.ReplaceAll(list[i], "MAIN", checkout)
	}
	return list
}
