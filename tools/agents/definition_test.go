package agents_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// agentFile returns a file with a name, a description and further lines in its head.
func agentFile(lines ...string) string {
	return "---\nname: helper\ndescription: Helps\n" + strings.Join(append(lines, ""), "\n") + "---\nDo it.\n"
}

// A keyLine is a line of a head, and its effect on the definition.
type keyLine struct {
	name     string
	line     string
	set      func(d *agents.Definition)
	problems []string // in line 4
}

// key returns the key of the line.
func (l keyLine) key() string {
	key, _, _ := strings.Cut(l.line, ":")
	return key
}

// keyLines returns lines with all keys, right and wrong ones.
func keyLines() []keyLine {
	extra := func(key, value string) func(d *agents.Definition) {
		return func(d *agents.Definition) {
			if d.Extra == nil {
				d.Extra = map[string]json.RawMessage{}
			}
			d.Extra[key] = json.RawMessage(value)
		}
	}
	return []keyLine{
		{name: "only what is required", line: "# a comment"},
		{name: "tools as a text", line: "tools: Read, Grep , Bash(git log:*)", set: func(d *agents.Definition) { d.Tools = []string{"Read", "Grep", "Bash(git log:*)"} }},
		{name: "tools as a list", line: "tools: [Read, 'Agent(a, b)', mcp__srv__*]", set: func(d *agents.Definition) { d.Tools = []string{"Read", "Agent(a, b)", "mcp__srv__*"} }},
		{name: "all tools", line: "tools: '*'", set: func(d *agents.Definition) { d.Tools = []string{"*"} }},
		{name: "no tools", line: "tools: []", set: func(d *agents.Definition) { d.Tools = []string{} }},
		{name: "tools left open", line: "tools:"},
		{name: "disallowed tools", line: "disallowedTools: Write, mcp__*", set: func(d *agents.Definition) { d.DisallowedTools = []string{"Write", "mcp__*"} }},
		{name: "model", line: "model: opus", set: func(d *agents.Definition) { d.Model = "opus" }},
		{name: "full id of a model", line: "model: some-model-4-5", set: func(d *agents.Definition) { d.Model = "some-model-4-5" }},
		{name: "the caller's model", line: "model: inherit"},
		{name: "mode default", line: "permissionMode: default", set: func(d *agents.Definition) { d.Mode = policy.ModeDefault }},
		{name: "mode manual", line: "permissionMode: manual", set: func(d *agents.Definition) { d.Mode = policy.ModeDefault }},
		{name: "mode acceptEdits", line: "permissionMode: acceptEdits", set: func(d *agents.Definition) { d.Mode = policy.ModeAcceptEdits }},
		{name: "mode auto", line: "permissionMode: auto", set: func(d *agents.Definition) { d.Mode = policy.ModeAuto }},
		{name: "mode dontAsk", line: "permissionMode: dontAsk", set: func(d *agents.Definition) { d.Mode = policy.ModeDontAsk }},
		{name: "mode bypassPermissions", line: "permissionMode: bypassPermissions", set: func(d *agents.Definition) { d.Mode = policy.ModeBypass }},
		{name: "mode plan", line: "permissionMode: plan", set: func(d *agents.Definition) { d.Mode = policy.ModePlan }},
		{name: "maxTurns", line: "maxTurns: 12", set: func(d *agents.Definition) { d.MaxTurns = 12 }},
		{name: "skills", line: "skills: api, tests", set: func(d *agents.Definition) { d.Skills = []string{"api", "tests"} }},
		{name: "background", line: "background: true", set: func(d *agents.Definition) { d.Background = true }},
		{name: "foreground", line: "background: false"},
		{name: "isolation", line: "isolation: worktree", set: func(d *agents.Definition) { d.Worktree = true }},
		{name: "effort", line: "effort: xhigh", set: func(d *agents.Definition) { d.Effort = "xhigh" }},
		{name: "effort as a number", line: "effort: 7", set: func(d *agents.Definition) { d.Effort = "7" }},
		{name: "color", line: "color: cyan", set: extra("color", `"cyan"`)},
		{name: "memory", line: "memory: project", set: extra("memory", `"project"`)},
		{name: "initialPrompt", line: "initialPrompt: Begin.", set: extra("initialPrompt", `"Begin."`)},
		{name: "names of servers", line: "mcpServers: [github, {slack: {type: http, url: https://example.com}}]", set: extra("mcpServers", `["github",{"slack":{"type":"http","url":"https://example.com"}}]`)},
		{name: "servers as a map", line: "mcpServers: {a: {command: b}}", set: extra("mcpServers", `{"a":{"command":"b"}}`)},
		{name: "hooks", line: "hooks: {Stop: [{hooks: [{type: command, command: ./done.sh}]}]}", set: extra("hooks", `{"Stop":[{"hooks":[{"type":"command","command":"./done.sh"}]}]}`)},
		{name: "null", line: "hooks:"},

		{name: "unknown key", line: "maxTokens: 9", problems: []string{`a.md:4: the key "maxTokens" is unknown and left out; did you mean maxTurns?`}},
		{name: "unlike any key", line: "zzz: 1", problems: []string{`a.md:4: the key "zzz" is unknown and left out`}},
		{name: "prompt in the head", line: "prompt: x", problems: []string{`a.md:4: the key "prompt" is unknown and left out; did you mean initialPrompt?`}},
		{name: "wrong model", line: "model: [a]", problems: []string{"a.md:4: model: there is a list; write a text; it is left out"}},
		{name: "wrong effort", line: "effort: huge", problems: []string{`a.md:4: effort: there is "huge"; write low, medium, high, xhigh or max; it is left out`}},
		{name: "wrong skills", line: "skills: {a: b}", problems: []string{"a.md:4: skills: there is a map; write a list, or a text with commas; it is left out"}},
		{name: "wrong background", line: "background: yes", problems: []string{`a.md:4: background: there is the text "yes"; write true or false; it is left out`}},
		{name: "wrong color", line: "color: beige", problems: []string{`a.md:4: color: there is "beige"; write one of red, blue, green, yellow, purple, orange, pink, cyan; it is left out`}},
		{name: "wrong memory", line: "memory: [user]", problems: []string{`a.md:4: memory: there is ["user"]; write one of user, project, local; it is left out`}},
		{name: "wrong servers", line: "mcpServers: github", problems: []string{"a.md:4: mcpServers: write a list of the names of servers, or a map from names to servers; it is left out"}},
		{name: "wrong initialPrompt", line: "initialPrompt: [a]", problems: []string{"a.md:4: initialPrompt: write a text; it is left out"}},
	}
}

// helper returns the definition of agentFile with lines applied.
func helper(lines ...keyLine) agents.Definition {
	d := agents.Definition{Name: "helper", Description: "Helps", Prompt: "Do it.", Custom: true, Origin: "a.md"}
	for _, l := range lines {
		if l.set != nil {
			l.set(&d)
		}
	}
	return d
}

func TestParse(t *testing.T) {
	for _, tt := range keyLines() {
		t.Run(tt.name, func(t *testing.T) {
			got, problems, err := agents.Parse([]byte(agentFile(tt.line)), "a.md")
			require.NoError(t, err)
			require.Equal(t, helper(tt), got)
			require.Equal(t, tt.problems, texts(problems))
		})
	}
}

// Each pair of keys means the same together as alone, and a wrong key that limits the agent costs
// the definition whatever stands beside it.
func TestParsePairsOfKeys(t *testing.T) {
	wrong := []string{"tools: {a: b}", "disallowedTools: {a: b}", "permissionMode: laxest", "maxTurns: 0", "isolation: remote", "hooks: []"}
	for _, one := range keyLines() {
		for _, two := range keyLines() {
			if one.key() == two.key() {
				continue
			}
			got, problems, err := agents.Parse([]byte(agentFile(one.line, two.line)), "a.md")
			require.NoError(t, err, "%s, %s", one.line, two.line)
			require.Equal(t, helper(one, two), got)
			want := one.problems
			for _, p := range two.problems {
				want = append(slices.Clip(want), strings.Replace(p, "a.md:4:", "a.md:5:", 1))
			}
			require.Equal(t, want, texts(problems))
		}
		for _, line := range wrong {
			if strings.HasPrefix(line, one.key()+":") {
				continue
			}
			_, _, err := agents.Parse([]byte(agentFile(one.line, line)), "a.md")
			require.ErrorContains(t, err, "a.md:5: ")
		}
	}
}

// texts returns problems as a user sees them.
func texts(problems []agents.Problem) (all []string) {
	for _, p := range problems {
		all = append(all, p.String())
	}
	return all
}

// TestParseReadsAColonInADescription says so to its author.
func TestParseReadsAColonInADescription(t *testing.T) {
	d, problems, err := agents.Parse([]byte("---\nname: a\ndescription: Use when: always\n---\nx"), "a.md")
	require.NoError(t, err)
	require.Equal(t, "Use when: always", d.Description)
	require.Equal(t, []agents.Problem{{Path: "a.md", Line: 3, Text: "the description has a colon and is read as text; put it into double quotes"}}, problems)
}

func TestParseSkips(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{name: "empty", want: "a.md: it does not begin with a head"},
		{name: "no head", file: "# Readme", want: "a.md: it does not begin with a head"},
		{name: "unclosed head", file: "---\nname: a\n", want: "a.md:1: the head does not end"},
		{name: "no YAML", file: "---\nname: a\nmodel: Use when: always\n---\n", want: "a.md:3: the head is not valid YAML"},
		{name: "no name", file: "---\ndescription: b\n---\nx", want: "a.md: it has no name"},
		{name: "empty name", file: "---\nname: ' '\ndescription: b\n---\nx", want: "a.md: it has no name"},
		{name: "colon in the name", file: "---\nname: a:b\ndescription: c\n---\n", want: `a.md: the name "a:b" has a colon`},
		{name: "leading hyphen", file: "---\nname: -a\ndescription: c\n---\n", want: `a.md: the name "-a" begins with a hyphen`},
		{name: "a name that no rule can give", file: "---\nname: a(b)\ndescription: c\n---\n", want: "parenthesis"},
		{name: "lines in the name", file: "---\nname: \"a\\nb\"\ndescription: c\n---\n", want: "control character"},
		{name: "long name", file: "---\nname: " + strings.Repeat("a", 129) + "\ndescription: c\n---\n", want: "129 bytes"},
		{name: "name that is a list", file: "---\nname: [a]\ndescription: c\n---\n", want: "it has no name"},
		{name: "no description", file: "---\nname: a\n---\nx", want: "a.md: it has no description"},
		{name: "description that is a map", file: "---\nname: a\ndescription: {b: c}\n---\nx", want: "a.md: it has no description"},
		{name: "key twice", file: agentFile("tools: Read", "tools: Write"), want: `a.md:5: the key "tools" is there twice`},
		{name: "wrong tools", file: agentFile("tools: {Read: true}"), want: "a.md:4: tools: there is a map"},
		{name: "wrong element of tools", file: agentFile("tools:", "- Read", "- [Write]"), want: "a.md:6: tools: there is a list"},
		{name: "wrong disallowedTools", file: agentFile("disallowedTools: {a: b}"), want: "a.md:4: disallowedTools: "},
		{name: "unknown mode", file: agentFile("permissionMode: Plan"), want: `a.md:4: permissionMode: there is no mode "Plan"`},
		{name: "mode that is a list", file: agentFile("permissionMode: [plan]"), want: "a.md:4: permissionMode: there is a list"},
		{name: "no turns", file: agentFile("maxTurns: 0"), want: "a.md:4: maxTurns: there is 0"},
		{name: "negative turns", file: agentFile("maxTurns: -1"), want: "a.md:4: maxTurns: there is -1"},
		{name: "many turns", file: agentFile("maxTurns: many"), want: `a.md:4: maxTurns: there is the text "many"`},
		{name: "remote", file: agentFile("isolation: remote"), want: "a.md:4: isolation: nothing runs on other machines here"},
		{name: "unknown isolation", file: agentFile("isolation: container"), want: `a.md:4: isolation: there is "container"`},
		{name: "hooks that are a list", file: agentFile("hooks: []"), want: "a.md:4: hooks: write a map"},
		{name: "bytes that are no text", file: "---\nname: a\xff\n---\n", want: "a.md:2: the text is not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, _, err := agents.Parse([]byte(tt.file), "a.md")
			require.ErrorContains(t, err, tt.want)
			var p *agents.SkippedError
			require.ErrorAs(t, err, &p)
			require.True(t, p.Skipped)
			require.Zero(t, d)
		})
	}
}

// TestUnknownKeyAboutToolsGivesNoTools: an agent whose author meant to keep tools from it does not
// get them for a slip of the pen.
func TestUnknownKeyAboutToolsGivesNoTools(t *testing.T) {
	for _, tt := range []struct{ key, near string }{
		{"disallowed-tools", "disallowedTools"}, {"disallowed_tools", "disallowedTools"}, {"disallowedtools", "disallowedTools"}, {"dissallowedTools", "disallowedTools"},
		{"allowed-tools", "disallowedTools"}, {"allowedTools", "disallowedTools"}, {"Tools", "tools"}, {"tool", "tools"}, {"toolz", "tools"}, {"denied_tools", "tools"}, {"no-tools", "tools"},
		{"permission-mode", "permissionMode"}, {"permisionMode", "permissionMode"}, {"permissions", "permissionMode"},
		{"isolated", "isolation"}, {"hook", "hooks"}, {"deny", ""}, {"denied", ""}, {"read-only", ""}, {"readonly", ""}, {"sandbox", ""}, {"restrictions", "description"},
	} {
		want := `the key "` + tt.key + `" is unknown, and may be meant to limit the agent, which is left out`
		if tt.near != "" {
			want += "; did you mean " + tt.near + "?"
		}
		_, _, err := agents.Parse([]byte(agentFile(tt.key+": Bash")), "a.md")
		var p *agents.SkippedError
		require.ErrorAs(t, err, &p, tt.key)
		require.Equal(t, agents.Problem{Path: "a.md", Line: 4, Text: want, Skipped: true}, p.Problem)

		definitions, problems, err := agents.ParseJSON([]byte(`{"a": {"description": "b", "prompt": "c", "`+tt.key+`": "Bash"}}`), "--agents")
		require.NoError(t, err)
		require.Empty(t, definitions, tt.key)
		require.Contains(t, texts(problems)[0], want)
	}
	for _, key := range []string{"maxTokens", "temperature", "version", "author", "mode", "tags", "license", "priority"} {
		d, _, err := agents.Parse([]byte(agentFile(key+": 1")), "a.md")
		require.NoError(t, err, key)
		require.Equal(t, "helper", d.Name)
	}
}

func TestLoad(t *testing.T) {
	file := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: Is " + name + "\n---\nDo it.\n")}
	}
	fsys := fstest.MapFS{
		"review.md":        file("review"),
		"deep/in/tests.md": file("tests"),
		"deep/review.md":   file("review"), // deep/review.md < review.md
		"notes.txt":        {Data: []byte("no agent")},
		"README.md":        {Data: []byte("# Agents\n")},
		"upper.MD":         file("upper"),
		"broken.md":        {Data: []byte("---\nname: [\n---\n")},
		"bad-color.md":     {Data: []byte("---\nname: painter\ndescription: Paints\ncolor: beige\n---\n")},
		"pipe.md":          {Mode: 0o644 | 1<<25},
	}
	definitions, problems := agents.Load(fsys, agents.Tree{})
	var got []string
	for _, d := range definitions {
		got = append(got, d.Name+" "+d.Origin)
	}
	require.Equal(t, []string{"painter bad-color.md", "review deep/review.md", "tests deep/in/tests.md"}, got)
	require.Equal(t, []string{
		"pipe.md: it is no regular file",
		"README.md: it does not begin with a head; write name and description between two lines of three hyphens",
		`bad-color.md:4: color: there is "beige"; write one of red, blue, green, yellow, purple, orange, pink, cyan; it is left out`,
		"broken.md:3: the head is not valid YAML: did not find expected node content",
		"review.md: the name review is that of deep/review.md, too; give one of them another name",
	}, texts(problems))
}

func TestLoadNamesTheDirectory(t *testing.T) {
	fsys := fstest.MapFS{
		"sub/a.md": {Data: []byte("---\nname: a\ndescription: b\n---\n")},
		"sub/b.md": {Data: []byte("x")},
	}
	dir := filepath.FromSlash("/home/me/.claude/agents")
	definitions, problems := agents.Load(fsys, agents.Tree{Path: dir})
	require.Equal(t, filepath.Join(dir, "sub", "a.md"), definitions[0].Origin)
	require.Equal(t, filepath.Join(dir, "sub", "b.md"), problems[0].Path)
}

func TestLoadOfAMissingTree(t *testing.T) {
	definitions, problems := agents.Load(fstest.MapFS{}, agents.Tree{})
	require.Empty(t, definitions)
	require.Empty(t, problems)
}

func TestLoadOfAPlugin(t *testing.T) {
	fsys := fstest.MapFS{
		"plain.md":     {Data: []byte("---\ndescription: Has the name of the file\n---\nx")},
		"sub/named.md": {Data: []byte("---\nname: other\ndescription: b\nhooks: {Stop: []}\nmcpServers: [a]\npermissionMode: plan\nmodel: haiku\n---\nx")},
		"headless.md":  {Data: []byte("x")},
		"colon.md":     {Data: []byte("---\nname: a:b\ndescription: c\n---\nx")},
	}
	definitions, problems := agents.Load(fsys, agents.Tree{Plugin: "kit"})
	require.Equal(t, []agents.Definition{
		{Name: "kit:plain", Description: "Has the name of the file", Prompt: "x", Custom: true, Origin: "plain.md"},
		{Name: "kit:sub:other", Description: "b", Prompt: "x", Model: "haiku", Custom: true, Origin: "sub/named.md"},
	}, definitions)
	require.Equal(t, []string{
		`colon.md: the name "a:b" has a colon, parenthesis, comma or control character; use lower-case letters and hyphens`,
		"headless.md: it has no description; say there when to use the agent",
		"sub/named.md:4: hooks does not count in a file of a plugin",
		"sub/named.md:5: mcpServers does not count in a file of a plugin",
		"sub/named.md:6: permissionMode does not count in a file of a plugin",
	}, texts(problems))
}

func TestMerge(t *testing.T) {
	high := []agents.Definition{{Name: "b", Origin: "high"}}
	low := []agents.Definition{{Name: "c", Origin: "low"}, {Name: "b", Origin: "low"}, {Name: "a", Origin: "low"}}
	require.Equal(t, []agents.Definition{{Name: "a", Origin: "low"}, {Name: "b", Origin: "high"}, {Name: "c", Origin: "low"}}, agents.Merge(high, low))
	require.Empty(t, agents.Merge())
}

func FuzzParse(f *testing.F) {
	f.Add(agentFile("tools: Read", "hooks: {Stop: []}"))
	f.Add("---\nname: a\ndescription: b\nmaxTurns: 0x1\n---")
	f.Fuzz(func(t *testing.T, file string) {
		d, _, err := agents.Parse([]byte(file), "a.md")
		if err != nil {
			var p *agents.SkippedError
			require.ErrorAs(t, err, &p)
			return
		}
		require.NotEmpty(t, d.Name)
		require.NotEmpty(t, d.Description)
		require.NotContains(t, d.Name, ":")
		for _, value := range d.Extra {
			require.True(t, json.Valid(value))
		}
	})
}

func TestParseJSON(t *testing.T) {
	definitions, problems, err := agents.ParseJSON([]byte(`{
		"reviewer": {"description": "Reviews", "prompt": "Review it.\n", "tools": ["Read", "Grep"], "disallowedTools": "Write, Edit",
			"model": "inherit", "permissionMode": "manual", "maxTurns": 3, "skills": ["api"], "background": true, "isolation": "worktree",
			"effort": 4, "hooks": {"Stop": []}, "mcpServers": ["a"], "initialPrompt": "Go.", "memory": "user", "omitClaudeMd": true,
			"color": "mauve", "name": "x"},
		"bare": {"description": "Bare", "prompt": ""},
		"a:b": {"description": "c", "prompt": "d"},
		"undescribed": {"prompt": "d"},
		"unlimited": {"description": "c", "prompt": "d", "maxTurns": 1.5},
		"text": "d",
		"": {"description": "c", "prompt": "d"}
	}`), "--agents")
	require.NoError(t, err)
	require.Equal(t, []agents.Definition{
		{Name: "bare", Description: "Bare", Custom: true, Origin: "--agents: bare"},
		{
			Name: "reviewer", Description: "Reviews", Prompt: "Review it.\n", Tools: []string{"Read", "Grep"}, DisallowedTools: []string{"Write", "Edit"},
			Mode: policy.ModeDefault, MaxTurns: 3, Skills: []string{"api"}, Background: true, Worktree: true, Effort: "4", Custom: true,
			Origin: "--agents: reviewer",
			Extra: map[string]json.RawMessage{
				"hooks": json.RawMessage(`{"Stop":[]}`), "mcpServers": json.RawMessage(`["a"]`), "initialPrompt": json.RawMessage(`"Go."`),
				"memory": json.RawMessage(`"user"`), "omitClaudeMd": json.RawMessage(`true`),
			},
		},
	}, definitions)
	require.Equal(t, []string{
		"--agents: : it has no name; give it one of lower-case letters and hyphens",
		`--agents: a:b: the name "a:b" has a colon, parenthesis, comma or control character; use lower-case letters and hyphens`,
		`--agents: reviewer: color: there is "mauve"; write one of red, blue, green, yellow, purple, orange, pink, cyan; it is left out`,
		`--agents: reviewer: the key "name" is unknown and left out`,
		"--agents: text: it is no object; write an object with description and prompt",
		"--agents: undescribed: it has no description; say there when to use the agent",
		"--agents: unlimited: maxTurns: there is the number 1.5; write a whole number",
	}, texts(problems))
}

func TestParseJSONRefuses(t *testing.T) {
	for _, text := range []string{"", "[]", "null", "{", `{"a": {}, "a": {}}`, `{"a": {"tools": [], "tools": ["Read"]}}`} {
		definitions, _, err := agents.ParseJSON([]byte(text), "--agents")
		var p *agents.SkippedError
		require.ErrorAs(t, err, &p, text)
		require.Equal(t, "--agents", p.Path)
		require.Empty(t, definitions)
	}
}

func FuzzParseJSON(f *testing.F) {
	f.Add(`{"a": {"description": "b", "prompt": "c", "tools": ["Read"]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		definitions, _, err := agents.ParseJSON([]byte(text), "--agents")
		if err != nil {
			require.Empty(t, definitions)
		}
		for _, d := range definitions {
			require.NotEmpty(t, d.Name)
			require.NotEmpty(t, d.Description)
			for _, value := range d.Extra {
				require.True(t, json.Valid(value))
			}
		}
	})
}
