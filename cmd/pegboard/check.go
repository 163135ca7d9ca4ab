package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/policy/shell"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

const checkHelp = `Finds what does not do what its author means:

  - files and parts of files that cannot be read, and keys that are not known
  - rules that no call can match: of tools and MCP servers that do not exist
  - allow and ask rules whose calls a stricter rule decides
  - hooks and MCP servers whose program is not there
  - agents and skills that cannot be used

Nothing runs. The exit status is 2 if anything is found.

  pegboard check
  pegboard check -dir ../service
`

// A problem is one thing that check has found.
type problem struct {
	settings.Position

	text string
}

func newCheck(p *program, flags *flag.FlagSet) func(context.Context, []string) error {
	var at place
	at.addFlags(flags, true)
	return func(ctx context.Context, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("there is an argument too many: %s", args[0])
		}
		files, loaded, err := p.load(ctx, at)
		if err != nil && (loaded == nil || len(loaded.Broken) == 0) {
			return err
		}
		problems, err := check(ctx, files, loaded)
		if err != nil {
			return err
		}
		var text strings.Builder
		for _, found := range problems {
			if found.Path = inDir(files.Dir, found.Path); found.Path != "" {
				text.WriteString(p.colour(bold, found.String()) + ": ")
			}
			text.WriteString(found.text + "\n")
		}
		if len(problems) == 0 {
			read := slices.DeleteFunc(loaded.Facts(), func(f settings.Fact) bool { return f.Kind != settings.FactFile })
			fmt.Fprintf(&text, "%s in %s\n", p.colour(green, "no problems"), count(len(read), "file"))
		} else {
			text.WriteString(p.colour(red, count(len(problems), "problem")) + "\n")
		}
		if _, err := io.WriteString(p.out, text.String()); err != nil || len(problems) == 0 {
			return err
		}
		return errFound
	}
}

// inDir returns a path as it is called in a directory, if it lies in it.
func inDir(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, dir+string(filepath.Separator)); ok {
		return rest
	}
	return path
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// check returns the problems of the files, by their places.
func check(ctx context.Context, files settings.Files, loaded *settings.Loaded) (found []problem, _ error) {
	for _, b := range loaded.Broken {
		found = append(found, problem{text: b.Error()}) // it begins with its place
	}
	for _, w := range loaded.Warnings {
		found = append(found, problem{w.Position, w.Text})
	}
	rest := loaded.WithoutBroken()
	if len(rest.Broken) == 0 { // else no session can be had
		judged, err := checkRules(ctx, files, rest)
		if err != nil {
			return nil, err
		}
		found = append(found, judged...)
	}
	found = append(found, missingPrograms(files, loaded)...)
	slices.SortStableFunc(found, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(found), nil
}

// checkRules returns the problems that show in a session.
func checkRules(ctx context.Context, files settings.Files, loaded *settings.Loaded) (found []problem, err error) {
	j, err := newJudge(files, loaded)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.session.Close(context.WithoutCancel(ctx))) }()
	for _, p := range j.set.Problems {
		found = append(found, problem{text: p.Error()})
	}
	found = append(found, j.deadRules(ctx)...)
	return append(found, j.shadowedRules(ctx)...), nil
}

// deadRules returns the rules that can match no call.
func (j *judge) deadRules(ctx context.Context) (found []problem) {
	for _, p := range j.pool(ctx).RuleProblems() {
		at, ok := j.loaded.RulePosition(p.Rule)
		if !ok {
			continue
		}
		server, _, external := externalName(p.Rule.Tool)
		switch {
		case !external:
			found = append(found, problem{at, p.String()})
		case !j.hasServer(server):
			found = append(found, problem{at, fmt.Sprintf("%s: there is no MCP server %s in the files", p.Rule.Describe(), server)})
		}
	}
	return found
}

// hasServer reports whether an MCP server of this name, in which a star stands for any
// characters, is configured.
func (j *judge) hasServer(name string) bool {
	rule := policy.Rule{Behavior: policy.Deny, Tool: "mcp__" + name}
	return slices.ContainsFunc(j.loaded.Servers, func(s settings.Server) bool {
		tool := policy.External(s.Name, "tool")
		return rule.Names(&tool)
	})
}

// shadowedRules returns the allow and ask rules whose calls are decided by a stricter rule.
func (j *judge) shadowedRules(ctx context.Context) (found []problem) {
	rules := j.session.Permissions().Rules()
	for _, r := range rules {
		at, ok := j.loaded.RulePosition(r)
		if !ok || r.Behavior == policy.Deny {
			continue
		}
		by, such := j.stricter(ctx, r, rules)
		if by == nil {
			continue
		}
		text := fmt.Sprintf("%s never counts: %s", r.Describe(), by.Describe())
		if where := j.position(by); where != "" {
			text += " (" + where + ")"
		}
		found = append(found, problem{at, text + " decides " + such})
	}
	return found
}

// stricter returns a stricter rule that decides every call that r is for, or nil.
func (j *judge) stricter(ctx context.Context, r policy.Rule, rules []policy.Rule) (by *policy.Rule, such string) {
	tool := policy.Builtin(r.Tool)
	if server, name, ok := externalName(r.Tool); ok {
		tool = policy.External(server, name)
	}
	for _, other := range rules {
		if other.Behavior > r.Behavior && other.Pattern == "" && other.Names(&tool) {
			return &other, "every call of " + r.Tool
		}
	}
	words, ok := j.sample(r)
	if !ok {
		return nil, ""
	}
	v, err := j.judge(ctx, r.Tool, []string{words})
	if err != nil || v.Decision.Rule == nil || v.Decision.Rule.Behavior <= r.Behavior {
		return nil, ""
	}
	return v.Decision.Rule, "calls such as " + strings.ReplaceAll(inDir(j.session.Dir(), words), anything, "…")
}

// anything stands for what a rule leaves open in a sample. No rule of a person names it.
const anything = "qzx7vw"

// sample returns words for a call that r is for, and for no narrower rule.
func (j *judge) sample(r policy.Rule) (words string, ok bool) {
	star := strings.NewReplacer("**", anything+"/"+anything, "*", anything)
	switch r.Tool {
	case "Bash", "PowerShell":
		if begin, ok := strings.CutSuffix(r.Pattern, ":*"); ok {
			return begin + " " + anything, r.Pattern != ""
		}
		return strings.ReplaceAll(r.Pattern, "*", anything), r.Pattern != "" && !strings.HasPrefix(r.Pattern, "*")
	case "Read", "Edit":
		if r.Pattern == "" || strings.ContainsAny(r.Pattern, `?[]{}!\`) {
			return "", false
		}
		path := star.Replace(r.Pattern)
		switch {
		case strings.HasPrefix(path, "//"):
			return path[1:], true
		case strings.HasPrefix(path, "~/"):
			return j.session.Home() + path[1:], true
		}
		return filepath.Join(j.session.Dir(), path), true
	case "WebFetch":
		host, ok := strings.CutPrefix(r.Pattern, "domain:")
		return "https://" + strings.ReplaceAll(host, "*", anything) + "/", ok
	case "Skill", "Agent":
		return r.Pattern, r.Pattern != "" && !strings.ContainsAny(r.Pattern, "*: ")
	}
	return "", false
}

// missingPrograms returns the hooks and MCP servers that cannot start.
func missingPrograms(files settings.Files, loaded *settings.Loaded) (found []problem) {
	project := loaded.HookOptions().Project
	for _, event := range loaded.Hooks.Events() {
		for _, h := range loaded.Hooks.Handlers(event) {
			if why := missing(programOf(h, files, project), cmp.Or(files.Dir, ".")); why != "" {
				at, _ := loaded.HookPosition(h) // all are of files
				found = append(found, problem{at, fmt.Sprintf("a hook of %s cannot start: %s", event, why)})
			}
		}
	}
	for _, s := range loaded.Servers {
		if s.Approval == settings.ServerOff || s.Type != mcpjson.Stdio {
			continue
		}
		if why := missing([]string{s.Command}, cmp.Or(s.Cwd, files.Dir, ".")); why != "" {
			found = append(found, problem{s.Position, fmt.Sprintf("the MCP server %s cannot start: %s", s.Name, why)})
		}
	}
	return found
}

// programOf returns the program that a hook starts, and the script that this one reads, as far
// as they can be told without running it.
func programOf(h hooks.Handler, files settings.Files, project string) []string {
	switch {
	case h.Type != "command" || h.Shell == "powershell":
		return nil
	case h.Args != nil:
		return []string{strings.ReplaceAll(h.Command, "${CLAUDE_PROJECT_DIR}", project)}
	}
	text := strings.NewReplacer("${CLAUDE_PROJECT_DIR}", project, "$CLAUDE_PROJECT_DIR", project).Replace(h.Command)
	line := shell.Read(text, shell.Env{Dir: files.Dir, Home: files.Home})
	if len(line.Commands) == 0 {
		return nil
	}
	words := strings.Fields(line.Commands[0].Text)
	for i, word := range words {
		word = strings.NewReplacer(`"`, "", "'", "").Replace(word)
		if rest, ok := strings.CutPrefix(word, "~/"); ok {
			word = filepath.Join(files.Home, rest)
		}
		words[i] = word
	}
	interpreters := []string{"bash", "sh", "python", "python3", "node", "ruby", "perl", "deno", "bun"}
	if len(words) > 1 && slices.Contains(interpreters, filepath.Base(words[0])) && strings.Contains(words[1], "/") {
		return words[:2]
	}
	return words[:min(len(words), 1)]
}

// missing says why a program with its script cannot start, or returns "". A word that a shell
// would compute is not looked at.
func missing(words []string, dir string) string {
	for i, word := range words {
		switch {
		case word == "" || strings.ContainsAny(word, "$`*?(){}<>;&|") || isBuiltin(word):
			return ""
		case i == 0 && !strings.ContainsRune(word, '/'):
			if _, err := proc.LookPath(word); err != nil {
				return fmt.Sprintf("there is no program %s", word)
			}
			continue
		}
		path := word
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return fmt.Sprintf("there is no file %s", word)
		case i == 0 && info.Mode()&0o111 == 0 && filepath.Separator == '/':
			return fmt.Sprintf("%s may not be executed; chmod +x makes it a program", word)
		}
	}
	return ""
}

// isBuiltin reports whether a shell knows the word without a program.
func isBuiltin(word string) bool {
	return slices.Contains(strings.Fields(". : [ [[ cd command eval exec exit export read return set shift source test trap ulimit umask unset wait if for while until case { ! time function"), word)
}
