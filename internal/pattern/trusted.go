package pattern

import (
	"slices"
	"strings"
)

// trustedNames are further directories and files whose content other programs run or trust.
// They are changed in everyday work, so that a rule may permit it; a mode that permits edits
// does not. Each line is a class.
var trustedNames = strings.Fields(`
	.cursor .windsurf .codeium .gemini .qwen .codex .zed .continue .roo .amazonq .kiro .junie .augment .trae .opencode .agents .crush .kilocode .factory .cline .aider .goose .openhands .theia
	opencode.json opencode.jsonc .opencode.json crush.json .crush.json mcp.json .aider.conf.yml .clinerules .cursorrules .windsurfrules .roorules .kilocoderules .goosehints .roomodes
	.fleet .vs .nova .exrc .nvimrc .nvim.lua .vimrc _vimrc .gvimrc .lvimrc .local.vimrc .vimspector.json .dir-locals.el .dir-locals-2.el
	.gdbinit .lldbinit .pdbrc .irbrc .pryrc .byebugrc .rprofile .renviron .iex.exs .ghci .ocamlinit .julia
	.psqlrc .sqliterc .my.cnf .mongoshrc.js .tmux.conf .screenrc .inputrc
	.nvmrc .node-version .python-version .ruby-version .java-version .go-version .php-version .perl-version .terraform-version .sdkmanrc .jvmrc .swift-version
	gradlew gradlew.bat mvnw mvnw.cmd
	.mise.toml mise.toml .mise.local.toml mise.local.toml .mise .rtx.toml .tool-versions .asdfrc rust-toolchain rust-toolchain.toml .direnv .envrc.local
	.pnpmfile.mjs .pypirc pip.conf pip.ini .condarc .gemrc .bundle .netrc _netrc .curlrc .wgetrc
	lefthook.toml lefthook.json lefthook.jsonc .lefthook.toml .lefthook.json .lefthook.jsonc lefthook-local.yml lefthook-local.yaml lefthook-local.toml lefthook-local.json
	.lefthook-local.yml .lefthook-local.yaml .lefthook-local.toml .lefthook-local.json .simple-git-hooks.json .simple-git-hooks.js .simple-git-hooks.cjs .simple-git-hooks.mjs
	simple-git-hooks.json simple-git-hooks.js simple-git-hooks.cjs simple-git-hooks.mjs .lintstagedrc .overcommit.yml .pre-commit-config.yml .pre-commit-hooks.yaml .huskyrc .githooks .git-hooks .hg .jj .svn
	.gitlab-ci.yml .gitlab-ci.yaml .travis.yml .circleci .buildkite azure-pipelines.yml .azure-pipelines bitbucket-pipelines.yml .drone.yml .woodpecker .woodpecker.yml .woodpecker.yaml
	.appveyor.yml appveyor.yml .cirrus.yml .semaphore jenkinsfile
	.venv .tox .nox .pixi .devbox sitecustomize.py usercustomize.py
	.ssh .gnupg authorized_keys
`)

// trustedPairs are trusted only below the directory before them.
var trustedPairs = strings.Fields(`
	.github/workflows .github/actions .github/copilot-instructions.md .github/instructions .github/prompts .github/chatmodes .github/agents
	.gitlab/ci .aws/config .aws/credentials .kube/config .docker/config.json .config/mise .config/pip .config/fish .config/systemd .config/autostart venv/bin venv/scripts env/bin virtualenv/bin node_modules/.bin vendor/bin
`)

// trustedEnds are the ends of the names of trusted files.
var trustedEnds = []string{".code-workspace", ".sublime-project"}

// trustedBeginnings are the beginnings of the names of trusted files.
var trustedBeginnings = []string{".lintstagedrc.", "lint-staged.config.", ".huskyrc."}

// instructionNames are files that agents read as instructions, in their spelling. Documents
// have the same names in lower case.
var instructionNames = strings.Fields("CLAUDE.md CLAUDE.local.md AGENTS.md AGENTS.override.md AGENT.md GEMINI.md QWEN.md CRUSH.md WARP.md CODEX.md .rules")

// Trusted is [Protected] for files that an allow rule may permit to write, but not a mode.
func Trusted(p Platform, path string) (what string, ok bool) {
	path, _ = canonical(p, path)
	before := ""
	for name := range strings.SplitSeq(path, "/") {
		folded := foldMarks.fold(name)
		switch pair := before + "/" + folded; {
		case slices.Contains(trustedNames, folded), hasAny(strings.HasSuffix, folded, trustedEnds), hasAny(strings.HasPrefix, folded, trustedBeginnings):
			return folded, true
		case slices.Contains(trustedPairs, pair):
			return pair, true
		case slices.Contains(instructionNames, name), p != Linux && slices.ContainsFunc(instructionNames, func(n string) bool { return strings.EqualFold(n, name) }):
			return name, true
		case strings.HasSuffix(folded, ".pth") && (before == "site-packages" || before == "dist-packages"):
			return folded, true
		}
		before = folded
	}
	return "", false
}

func hasAny(test func(s, part string) bool, name string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return test(name, part) })
}

// TrustedInHome reports whether path, absolute and clean, is a file of a user's own: below a
// hidden directory or file of the home, or one that is on the search path or starts with the
// session. It returns the first name below the home.
func TrustedInHome(p Platform, home, path string) (what string, ok bool) {
	home, _ = canonical(p, home)
	path, _ = canonical(p, path)
	rest, ok := strings.CutPrefix(foldMarks.fold(path), strings.TrimSuffix(foldMarks.fold(home), "/")+"/")
	if !ok {
		return "", false
	}
	what, _, _ = strings.Cut(rest, "/")
	return "~/" + what, strings.HasPrefix(what, ".") && len(what) > 1 || slices.Contains([]string{"bin", "library", "appdata"}, what)
}
