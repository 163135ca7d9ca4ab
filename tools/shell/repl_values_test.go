package shell_test

import (
	"context"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestREPLValues: code gets what the prompt of the tool promises, and whole: no line
// numbers, previews or notices.
func TestREPLValues(t *testing.T) {
	t.Parallel()
	needUnix(t)
	eachLanguage(t, func(b *replBench) {
		tools := append(files.Tools(), shell.Bash(shell.Options{}), shell.TaskOutput(), shell.TaskStop(), replEcho("Refused"))
		b.open(shell.REPLOptions{}, append(tools, externalTools(b.t)...)...)
		replFiles(b.t, b.session.Dir())
		for _, tt := range replValues {
			code := b.code(tt.python, tt.javascript)
			if code == "" {
				continue
			}
			b.t.Run(tt.name, func(t *testing.T) {
				out := b.run(t.Context(), map[string]any{"code": code})
				require.NoError(t, out.Err)
				require.Equal(t, tt.failed, out.Result.IsError, out.Result.Text())
				if tt.want != "" {
					require.Equal(t, tt.want, out.Result.Text())
				}
				for _, says := range tt.says {
					require.Contains(t, out.Result.Text(), says)
				}
			})
		}
	})
}

// replValues are what code does in both languages, and what it prints then.
var replValues = []struct {
	name               string
	python, javascript string
	want               string
	says               []string
	failed             bool
}{
	{name: "a text", python: "tools.Read({'file_path': 'a.txt'})", javascript: "await tools.Read({file_path: 'a.txt'})", want: `'one\r\ntwo\n'`},
	{name: "again", python: "tools.Read({'file_path': 'a.txt'})\ntools.Read({'file_path': 'a.txt'})", javascript: "await tools.Read({file_path: 'a.txt'}); await tools.Read({file_path: 'a.txt'})", want: `'one\r\ntwo\n'`},
	{name: "lines", python: "tools.Read({'file_path': 'a.txt', 'offset': 2, 'limit': 5})", javascript: "await tools.Read({file_path: 'a.txt', offset: 2, limit: 5})", want: `'two\n'`},
	{name: "no lines", python: "tools.Read({'file_path': 'a.txt', 'offset': 9})", javascript: "await tools.Read({file_path: 'a.txt', offset: 9})", want: `''`},
	{name: "an empty file", python: "tools.Read({'file_path': 'empty'})", javascript: "await tools.Read({file_path: 'empty'})", want: `''`},
	{name: "long lines, and many", python: "s = tools.Read({'file_path': 'long.txt'})\nlen(s), s.count('\\n')", javascript: "const s = await tools.Read({file_path: 'long.txt'}); [s.length, s.split('\\n').length - 1]", says: []string{"603000", "3000"}},
	{
		name:   "a text that is long",
		python: "f = tools.Read({'file_path': 'huge.txt'})\nassert f.read() == open(f.path).read() == open(f).read()\nf.size, len(list(f.lines())), next(f.lines()), sum(1 for _ in f), type(f).__name__", want: "(5600000, 700000, '1234567', 700000, 'ToolFile')",
	},
	{
		name:       "a text that is long, in JavaScript",
		javascript: "const f = await tools.Read({file_path: 'huge.txt'}); let n = 0; for await (const line of f.lines()) n += line.length; for await (const line of f) n += line.length; [f.size, n, (await f.read()).length, f instanceof ToolFile, require('fs').statSync(f.path).size]", want: "[ 5600000, 9800000, 5600000, true, 5600000 ]",
	},
	{name: "a long range", python: "tools.Read({'file_path': 'huge.txt', 'offset': 2})", javascript: "await tools.Read({file_path: 'huge.txt', offset: 2})", failed: true, says: []string{"ToolError", "Ask for fewer lines with limit, or for the whole file without offset and limit"}},
	{name: "Latin-1", python: "tools.Read({'file_path': 'latin1.txt'}).read()", javascript: "(await (await tools.Read({file_path: 'latin1.txt'})).read()).toString('latin1')", says: []string{"'", "n"}},
	{name: "UTF-16", python: "tools.Read({'file_path': 'utf16.txt'})", javascript: "await tools.Read({file_path: 'utf16.txt'})", want: `'hé\n'`},
	{name: "an image", python: "f = tools.Read({'file_path': 'p.png'})\nf.read()[1:4], f.mime", javascript: "const f = await tools.Read({file_path: 'p.png'}); [(await f.read()).toString('latin1', 1, 4), f.mime]", says: []string{"PNG'", "'image/png'"}},
	{name: "a notebook", python: "[c['source'] for c in tools.Read({'file_path': 'n.ipynb'})['cells']]", javascript: "(await tools.Read({file_path: 'n.ipynb'})).cells.map((c) => c.source)", says: []string{"'x = 1'"}},
	{name: "long outputs of a notebook", python: "len(tools.Read({'file_path': 'n.ipynb'})['cells'][0]['outputs'][0]['text'])", javascript: "(await tools.Read({file_path: 'n.ipynb'})).cells[0].outputs[0].text.length", want: "50000"},
	{name: "a missing file", python: "try: tools.Read({'file_path': 'none'})\nexcept ToolError as e: print(e.tool, e.kind, e.value, e)", javascript: "try { await tools.Read({file_path: 'none'}) } catch (e) { console.log(e.tool, e.kind, e.value, e.message) }", says: []string{"Read failed", "does not exist"}},
	{name: "a wrong input", python: "try: tools.Read({'path': 'none'})\nexcept ToolError as e: print(e.tool, e.kind, e.value)", javascript: "try { await tools.Read({path: 'none'}) } catch (e) { console.log(e.tool, e.kind, e.value) }", says: []string{"Read invalid_input "}},
	{name: "a refusal", python: "try: tools.Refused(text='a')\nexcept ToolError as e: print(e.tool, e.kind)", javascript: "try { await tools.Refused({text: 'a'}) } catch (e) { console.log(e.tool, e.kind) }", want: "Refused denied"},
	{name: "no such tool", python: "try: tools.Nothing()\nexcept ToolError as e: print(e.tool, e.kind)", javascript: "try { await tools.Nothing() } catch (e) { console.log(e.tool, e.kind) }", want: "Nothing unknown_tool"},
	{name: "files by name", python: "g = tools.Glob({'pattern': 'many/*.txt'})\nlen(g['filenames']), not g['truncated']", javascript: "const g = await tools.Glob({pattern: 'many/*.txt'}); [g.filenames.length, !g.truncated]", says: []string{"300", "rue"}},
	{name: "files by content", python: "len(tools.Grep({'pattern': 'needle'})['filenames'])", javascript: "(await tools.Grep({pattern: 'needle'})).filenames.length", want: "300"},
	{name: "lines by content", python: "m = tools.Grep({'pattern': '^needle', 'path': 'many', 'output_mode': 'content'})['matches']\nlen(m), m[0]['file'][-7:], m[0]['line'], len(m[0]['text'])", javascript: "const m = (await tools.Grep({pattern: '^needle', path: 'many', output_mode: 'content'})).matches; [m.length, m[0].file.slice(-7), m[0].line, m[0].text.length]", says: []string{"300, '000.txt', 2, 5006"}},
	{name: "context", python: "[(m['line'], m.get('context', False) is True) for m in tools.Grep({'pattern': 'two', 'path': 'a.txt', 'output_mode': 'content', '-B': 1})['matches']]", javascript: "(await tools.Grep({pattern: 'two', path: 'a.txt', output_mode: 'content', '-B': 1})).matches.map((m) => [m.line, m.context ?? false])", says: []string{"1, ", "rue", "2, "}},
	{name: "numbers of lines", python: "c = tools.Grep({'pattern': 'needle', 'output_mode': 'count'})\nc['counts']['many/000.txt'], c['numMatches']", javascript: "const c = await tools.Grep({pattern: 'needle', output_mode: 'count'}); [c.counts['many/000.txt'], c.numMatches]", says: []string{"1, 300"}},
	{name: "a limit of the call", python: "len(tools.Grep({'pattern': 'needle', 'head_limit': 7})['filenames'])", javascript: "(await tools.Grep({pattern: 'needle', head_limit: 7})).filenames.length", want: "7"},
	{name: "nothing searched", python: "tools.Grep({'pattern': 'a', 'glob': '*.none'})['unsearched']", javascript: "(await tools.Grep({pattern: 'a', glob: '*.none'})).unsearched", says: []string{"*.none"}},
	{name: "a command", python: "r = tools.Bash({'command': 'echo out; echo err >&2'})\nr['stdout'], r['exitCode'], r['stderr'], not r['interrupted']", javascript: "const r = await tools.Bash({command: 'echo out; echo err >&2'}); [r.stdout, r.exitCode, r.stderr, !r.interrupted]", says: []string{`'out\nerr\n', 0, '', `, "rue"}},
	{name: "a command that fails", python: "r = tools.Bash({'command': 'echo out; exit 3'})\nr['stdout'], r['exitCode'], r['stderr']", javascript: "const r = await tools.Bash({command: 'echo out; exit 3'}); [r.stdout, r.exitCode, r.stderr]", says: []string{`'out\n', 3, ''`}},
	{name: "an escape", python: "tools.Bash({'command': \"printf 'a\\\\rb\\\\033[1m'\"})['stdout']", javascript: "(await tools.Bash({command: \"printf 'a\\\\rb\\\\033[1m'\"})).stdout", says: []string{`'a\rb\x1`, `[1m'`}},
	{name: "a long output", python: "r = tools.Bash({'command': 'seq 100000'})\nlen(r['stdout']), r['stdout'][-7:]", javascript: "const r = await tools.Bash({command: 'seq 100000'}); [r.stdout.length, r.stdout.slice(-7)]", says: []string{`588895, '100000\n'`}},
	{name: "a long output of a command that fails", python: "r = tools.Bash({'command': 'seq 100000; exit 1'})\nlen(r['stdout']), r['exitCode']", javascript: "const r = await tools.Bash({command: 'seq 100000; exit 1'}); [r.stdout.length, r.exitCode]", says: []string{`588895, 1`}},
	{name: "a very long output", python: "f = tools.Bash({'command': 'seq 1000000'})['stdout']\nf.size, sum(map(int, f.lines()))", javascript: "const f = (await tools.Bash({command: 'seq 1000000'})).stdout; let n = 0; for await (const l of f.lines()) n += Number(l); [f.size, n]", says: []string{"6888896, 500000500000"}},
	{name: "a binary output", python: "tools.Bash({'command': 'cat p.png'})['stdout'].read()[1:4]", javascript: "(await (await tools.Bash({command: 'cat p.png'})).stdout.read()).toString('latin1', 1, 4)", says: []string{"PNG'"}},
	{name: "a command that takes too long", python: "try: tools.Bash({'command': 'sleep 1000', 'timeout': 200})\nexcept ToolError as e: print(e.tool, e.kind, e.value['exitCode'], e)", javascript: "try { await tools.Bash({command: 'sleep 1000', timeout: 200}) } catch (e) { console.log(e.tool, e.kind, e.value.exitCode, e.message) }", says: []string{"Bash timeout -1", "longer than 200ms"}},
	{name: "a command that moves to the background", python: "try: tools.Bash({'command': 'echo a; until [ -e gone ]; do sleep 0.01; done', 'timeout': 200})\nexcept ToolError as e: tools.TaskStop({'task_id': e.value['backgroundTaskId']}); print(e.tool, e.kind, e)", javascript: "try { await tools.Bash({command: 'echo a; until [ -e gone ]; do sleep 0.01; done', timeout: 200}) } catch (e) { await tools.TaskStop({task_id: e.value.backgroundTaskId}); console.log(e.tool, e.kind, e.message) }", says: []string{"Bash timeout", "moved to the background"}},
	{name: "a task", python: "r = tools.Bash({'command': 'until [ -e go ]; do sleep 0.01; done; seq 50000', 'run_in_background': True})\nopen('go', 'w').close()\nt = tools.TaskOutput({'task_id': r['backgroundTaskId']})\nr['exitCode'], t['task']['status'], len(t['task']['output'])", javascript: "const r = await tools.Bash({command: 'until [ -e go ]; do sleep 0.01; done; seq 50000', run_in_background: true}); require('fs').writeFileSync('go', ''); const t = await tools.TaskOutput({task_id: r.backgroundTaskId}); [r.exitCode, t.task.status, t.task.output.length]", says: []string{"'completed', 288894"}},
	{name: "a help for what is not there", python: "tools.Read({'file_path': 'huge.txt'}).splitlines()", failed: true, says: []string{".lines()", ".read()"}},
	{name: "a help for what has no items", python: "tools.Much()['rows']", failed: true, says: []string{".read()"}},
	{name: "structured content", python: "tools.Weather()", javascript: "await tools.Weather()", says: []string{"temperature", "21.5"}},
	{name: "content", python: "[b['type'] for b in tools.Picture()]", javascript: "(await tools.Picture()).map((b) => b.type)", says: []string{"'text', 'image'"}},
	{name: "structured content that is long", python: "f = tools.Much()\nf.mime, len(f.read()['rows'])", javascript: "const f = await tools.Much(); [f.mime, (await f.read()).rows.length]", says: []string{"'application/json', 200000"}},
	{name: "nothing", python: "tools.Nil()", javascript: "await tools.Nil()", want: "''"},
	{name: "write, then edit", python: "w = tools.Write({'file_path': 'w.txt', 'content': 'a'})\ne = tools.Edit({'file_path': 'a.txt', 'old_string': 'two', 'new_string': '2'}) if tools.Read({'file_path': 'a.txt'}) else 0\nw['type'], e['structuredPatch'][0]['lines']", javascript: "const w = await tools.Write({file_path: 'w.txt', content: 'a'}); await tools.Read({file_path: 'a.txt'}); const e = await tools.Edit({file_path: 'a.txt', old_string: 'two', new_string: '2'}); [w.type, e.structuredPatch[0].lines]", says: []string{"'create'", "'+2'"}},
	{name: "a cell", python: "tools.Read({'file_path': 'n.ipynb'})\nr = tools.NotebookEdit({'notebook_path': 'n.ipynb', 'cell_id': 'c0', 'new_source': 'y'})\nr['cell_id'], r['notebook_path'][-7:]", javascript: "await tools.Read({file_path: 'n.ipynb'}); const r = await tools.NotebookEdit({notebook_path: 'n.ipynb', cell_id: 'c0', new_source: 'y'}); [r.cell_id, r.notebook_path.slice(-7)]", says: []string{"'c0', 'n.ipynb'"}},
}

// replFiles writes what the code of TestREPLValues reads.
func replFiles(t *testing.T, dir string) {
	t.Helper()
	write := func(name string, data []byte) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	write("a.txt", []byte("\xEF\xBB\xBFone\r\ntwo\n"))
	write("empty", nil)
	write("long.txt", []byte(strings.Repeat(strings.Repeat("x", 200)+"\n", 3000)))
	write("huge.txt", []byte(strings.Repeat("1234567\n", 700_000)))
	write("latin1.txt", []byte("se\xF1or\n"))
	write("utf16.txt", []byte("\xFF\xFEh\x00\xE9\x00\n\x00"))
	output, err := json.Marshal(strings.Repeat("1234567 9\n", 5000))
	require.NoError(t, err)
	write("n.ipynb", []byte(`{"cells":[{"id":"c0","cell_type":"code","execution_count":1,"metadata":{},"source":"x = 1","outputs":[{"output_type":"stream","name":"stdout","text":`+string(output)+`}]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`))
	for i := range 300 {
		write("many/"+strings.Repeat("0", 3-len(itoa(i)))+itoa(i)+".txt", []byte("hay\nneedle"+strings.Repeat("é", 5000)+"\n"))
	}
	f, err := os.Create(filepath.Join(dir, "p.png"))
	require.NoError(t, err)
	require.NoError(t, png.Encode(f, image.NewGray(image.Rect(0, 0, 2, 2))))
	require.NoError(t, f.Close())
}

func itoa(i int) string {
	raw, _ := json.Marshal(i)
	return string(raw)
}

// externalTools are tools as an MCP server has them.
func externalTools(t *testing.T) (all []pegboard.Tool) {
	t.Helper()
	rows := make([]int, 200_000)
	for name, r := range map[string]*pegboard.Result{
		"Weather": {Parts: []pegboard.Part{{Text: "It is warm."}}, Data: map[string]any{"temperature": 21.5}},
		"Picture": {Parts: []pegboard.Part{{Text: "Here it is."}, {MIME: "image/png", Data: []byte("\x89PNG")}}},
		"Much":    {Parts: []pegboard.Part{{Text: "There is much."}}, Data: map[string]any{"rows": rows, "more": strings.Repeat("x", 4<<20)}},
		"Nil":     {},
	} {
		tool, err := pegboard.BuildRaw([]byte(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: name}, Description: "Returns " + name + ".",
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return r, nil },
		})
		require.NoError(t, err)
		all = append(all, tool)
	}
	return all
}

// TestWhatCodeReadsIsNotShown: the model gets a text that only a script has read, and may
// edit the file, since its agent has read it.
func TestWhatCodeReadsIsNotShown(t *testing.T) {
	t.Parallel()
	needProgram(t, "python3")
	b := &replBench{t: t, language: shell.Python}
	b.open(shell.REPLOptions{}, files.Tools()...)
	replFiles(t, b.session.Dir())
	var reg pegboard.Registry
	require.NoError(t, reg.Add(append(files.Tools(), shell.REPL(shell.REPLOptions{}))...))
	b.pool = reg.AssemblePool(b.session, pegboard.PoolConfig{})
	b.must("print(len(tools.Read({'file_path': 'long.txt', 'limit': 5})), len(tools.Read({'file_path': 'long.txt', 'limit': 5})))")
	var ex pegboard.Executor
	for _, want := range []string{"xxx", "has not changed"} {
		read := ex.Run(t.Context(), b.pool, pegboard.Call{ID: "2", Name: "Read", Input: []byte(`{"file_path":"long.txt","limit":5}`)})[0]
		require.NoError(t, read.Err)
		require.Contains(t, read.Result.Text(), want)
	}
	b.must("tools.Read({'file_path': 'a.txt'})")
	edit := ex.Run(t.Context(), b.pool, pegboard.Call{ID: "3", Name: "Edit", Input: []byte(`{"file_path":"a.txt","old_string":"one","new_string":"1"}`)})[0]
	require.NoError(t, edit.Err)
}
