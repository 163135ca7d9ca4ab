package gitrepo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/script"
)

func TestCheckAcceptsAnOrdinaryRepository(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.git("remote", "add", "origin", "https://example.com/a.git")
	s.set(".", "branch.main.remote", "origin")
	s.set(".", "user.name", "a")
	s.git("worktree", "add", "-q", "../linked", "other")
	require.NoError(t, os.Mkdir(filepath.Join(s.repo, "deep"), 0o755))
	for _, dir := range []string{"repo", "repo/deep", "repo/.git", "repo/.git/refs", "linked", "home"} {
		require.NoError(t, gitrepo.Check(filepath.Join(s.root, dir)), dir)
	}
	require.NoError(t, os.Symlink(s.repo, filepath.Join(s.root, "link")))
	require.NoError(t, gitrepo.Check(filepath.Join(s.root, "link")))
	require.Error(t, gitrepo.Check(filepath.Join(s.root, "none")))
	require.Error(t, gitrepo.Check(filepath.Join(s.root, "evil")))
}

// TestCheckRefusesWhatGitRuns holds every refusal against git: the planted
// program runs, or for "shows", the planted text is shown.
func TestCheckRefusesWhatGitRuns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		set    [][2]string // in the repository
		global [][2]string // the user's own
		files  map[string]string
		run    string
		shows  string
	}{
		{name: "core.fsmonitor", set: [][2]string{{"core.fsmonitor", "EVIL"}}, run: "status"},
		{name: "core.fsmonitor of ls-files", set: [][2]string{{"core.fsmonitor", "EVIL"}}, run: "ls-files -m"},
		{name: "diff.external", set: [][2]string{{"diff.external", "EVIL"}}, run: "diff"},
		{name: "diff.*.command", set: [][2]string{{"diff.z.command", "EVIL"}}, run: "diff"},
		{name: "diff.*.textconv", set: [][2]string{{"diff.z.textconv", "EVIL"}}, run: "show HEAD"},
		{name: "diff.*.textconv of blame", set: [][2]string{{"diff.z.textconv", "EVIL"}}, run: "blame data.txt"},
		{name: "filter.*.clean", set: [][2]string{{"filter.z.clean", "EVIL"}}, run: "diff"},
		{name: "filter.*.process", set: [][2]string{{"filter.z.process", "EVIL"}}, run: "diff"},
		{
			name: "filter.*.smudge", set: [][2]string{{"filter.z.smudge", "EVIL"}},
			global: [][2]string{{"diff.external", "true"}}, run: "diff HEAD~1 HEAD",
		},
		{name: "merge.*.driver", set: [][2]string{{"merge.z.driver", "EVIL"}}, global: [][2]string{{"log.diffMerges", "remerge"}}, run: "show -m merge"},
		{name: "log.diffMerges", set: [][2]string{{"log.diffMerges", "remerge"}}, global: [][2]string{{"merge.z.driver", "EVIL"}}, run: "show -m merge"},
		{name: "log.showSignature", set: [][2]string{{"log.showSignature", "true"}}, global: [][2]string{{"gpg.program", "EVIL"}}, run: "log -1"},
		{name: "gpg.program", set: [][2]string{{"gpg.program", "EVIL"}}, global: [][2]string{{"log.showSignature", "true"}}, run: "log -1"},
		{name: "gpg.*.program", set: [][2]string{{"gpg.openpgp.program", "EVIL"}}, global: [][2]string{{"log.showSignature", "true"}}, run: "log -1"},
		{name: "format.pretty", set: [][2]string{{"format.pretty", "%+G?"}}, global: [][2]string{{"gpg.program", "EVIL"}}, run: "log -1"},
		{name: "pretty.*", set: [][2]string{{"pretty.mine", "%G?"}}, global: [][2]string{{"gpg.program", "EVIL"}}, run: "log -1 --format=mine"},
		{name: "include.path", set: [][2]string{{"include.path", "ROOT/more"}}, files: map[string]string{"more": "[core]\n\tfsmonitor = EVIL\n"}, run: "status"},
		{name: "includeIf", set: [][2]string{{"includeIf.gitdir:/.path", "ROOT/more"}}, files: map[string]string{"more": "[core]\n\tfsmonitor = EVIL\n"}, run: "status"},
		{name: "core.alternateRefsCommand", set: [][2]string{{"core.alternateRefsCommand", "EVIL"}},
			files: map[string]string{"repo/.git/objects/info/alternates": "ROOT/far/objects\n", "far/objects/x": "", "far/refs/x": "", "far/HEAD": "ref: refs/heads/main\n"}, run: "rev-list --alternate-refs --all"},
		{name: "core.worktree", set: [][2]string{{"core.worktree", "ROOT/out"}}, files: map[string]string{"out/data.txt": "SECRET\n"}, run: "diff", shows: "SECRET"},
		{name: "core.hooksPath", set: [][2]string{{"core.hooksPath", "hooks"}}, files: map[string]string{"repo/hooks/post-index-change": "#!/bin/sh\n: > 'MARK'\n"}, run: "status"},
		{name: "hooks", files: map[string]string{"repo/.git/hooks/post-index-change": "#!/bin/sh\n: > 'MARK'\n"}, run: "status"},
		{name: "promisor", set: [][2]string{
			{"remote.x.promisor", "true"}, {"remote.x.url", "ext::EVIL quit"}, {"protocol.ext.allow", "always"},
			{"extensions.partialClone", "x"}, {"core.repositoryFormatVersion", "1"},
		}, run: "cat-file -p 1111111111111111111111111111111111111111"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			require.NoError(t, gitrepo.Check(s.repo))
			for name, text := range tc.files {
				s.write(name, "")
				script.Write(t, filepath.Join(s.root, name), s.fill(text))
			}
			for _, kv := range tc.global {
				s.git("config", "--global", kv[0], s.fill(kv[1]))
			}
			for _, kv := range tc.set {
				s.set(".", kv[0], kv[1])
			}
			s.marked()
			out := s.try(strings.Fields(tc.run)...)
			if tc.shows != "" {
				require.Contains(t, out, tc.shows)
			} else {
				require.True(t, s.marked(), "git does not start the program: %s", out)
			}
			err := gitrepo.Check(s.repo)
			require.Error(t, err)
			t.Log(err)
		})
	}
}

// TestCheckAcceptsWhatGitDoesNotRun sets all the other keys that name programs.
func TestCheckAcceptsWhatGitDoesNotRun(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for _, kv := range [][2]string{
		{"alias.status", "!EVIL"}, {"alias.log", "!EVIL"}, {"alias.branch", "!EVIL"}, {"alias.range-diff", "!EVIL"},
		{"core.editor", "EVIL"}, {"sequence.editor", "EVIL"}, {"core.sshCommand", "EVIL"}, {"core.gitProxy", "EVIL"},
		{"core.askPass", "EVIL"}, {"credential.helper", "!EVIL"}, {"interactive.diffFilter", "EVIL"},
		{"diff.tool", "x"}, {"difftool.x.cmd", "EVIL"}, {"mergetool.x.cmd", "EVIL"}, {"guitool.x.cmd", "EVIL"},
		{"trailer.x.cmd", "EVIL"}, {"trailer.x.command", "EVIL"}, {"tar.x.command", "EVIL"},
		{"uploadpack.packObjectsHook", "EVIL"}, {"browser.x.cmd", "EVIL"}, {"man.x.cmd", "EVIL"},
		{"submodule.x.update", "!EVIL"}, {"receive.procReceiveRefs", "EVIL"}, {"gc.recentObjectsHook", "EVIL"},
		{"remote.origin.url", "ext::EVIL"}, {"remote.origin.uploadpack", "EVIL"}, {"remote.origin.receivepack", "EVIL"},
		{"remote.origin.vcs", "EVIL"}, {"protocol.ext.allow", "always"}, {"init.templateDir", "ROOT"},
		{"trace2.eventTarget", "MARK"}, {"trace2.normalTarget", "MARK"}, {"trace2.perfTarget", "MARK"},
		{"help.autocorrect", "immediate"}, {"commit.gpgSign", "true"}, {"filter.z.required", "false"},
		{"diff.z.xfuncname", "EVIL"}, {"diff.z.binary", "false"}, {"diff.z.cachetextconv", "true"}, {"merge.z.name", "EVIL"},
		{"merge.z.driver", "true"}, {"merge.tool", "EVIL"}, {"core.fsmonitor", "false"}, {"core.pager", "less"}, {"pager.log", "true"},
		{"sendemail.smtpServer", "EVIL"}, {"instaweb.httpd", "EVIL"}, {"imap.tunnel", "EVIL"}, {"web.browser", "EVIL"},
		{"core.hooksPath", ".husky"}, {"diff.submodule", "log"}, {"submodule.recurse", "true"}, {"log.showSignature", "false"},
		{"core.attributesFile", "ROOT/repo/x"}, {"core.excludesFile", "x/../y"}, {"blame.ignoreRevsFile", ""}, {"maintenance.strategy", "incremental"},
	} {
		s.set(".", kv[0], kv[1])
	}
	s.write("repo/.husky/pre-commit", "#!/bin/sh\n: > '"+s.mark+"'\n")
	require.NoError(t, gitrepo.Check(s.repo))
	s.marked()
	for _, args := range reading() {
		s.in(s.repo, gitrepo.Neutral(), args...)
		require.False(t, s.marked(), "git %q starts the program", args)
	}
}

// TestCheckRefusesUnproved are refusals that the git at hand cannot prove: it is
// too old, or they are for other programs.
func TestCheckRefusesUnproved(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"[hook \"x\"]\n\tcommand = a\n\tevent = b\n",
		"[core]\n\tvirtualFilesystem = a\n",
		"[core]\n\tsomethingNew = a\n",
		"[diff \"x\"]\n\tsomethingNew = a\n",
		"[diff \"\"]\n\tcommand = a\n",
		"[diff \"a.b\"]\n\ttextconv = a\n",
		"[diff.x]\n\ttextconv = a\n",
		"[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n",
		"[lfs \"extension.x\"]\n\tclean = a\n",
		"[lfs \"customtransfer.x\"]\n\tpath = a\n",
		"[lfs]\n\tstandaloneTransferAgent = a\n",
		"[status]\n\tsubmoduleSummary = true\n",
		"[tag]\n\tsort = signature\n",
		"[gpg \"x\"]\n\tnew = a\n",
		"[extensions]\n\trefStorage = files:///elsewhere\n",
		"[remote \"x\"]\n\tpartialCloneFilter = blob:none\n",
		"[core]\n\thooksPath\n",
		"[core]\n\thooksPath = ~/x\n",
		"[CORE] FsMonitor = a # x\n",
		"[core]\nfs\\\nmonitor = a\n",
		"[core]\n\tfsmonitor = \"unclosed\n",
		"[core\n",
		"\x00",
		strings.Repeat("# long\n", 200_000),
	} {
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".git/config"), []byte(text), 0o600))
		require.Error(t, gitrepo.Check(dir), "%.60q", text)
	}
}
