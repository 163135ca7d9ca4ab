package tooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type badStore struct {
	name    string
	open    func() (pegboard.ResultStore, error) // nil: stores over one place, each changed
	change  func(m *memoryStore)
	checker tooltest.StoreChecker
	rules   []string // that it breaks, the one it is for first
	got     string   // part of the text of a violation
}

// badStores break one rule each, some of them others as well.
func badStores(t *testing.T) []badStore {
	t.Helper()
	return slices.Concat(storesThatDoNotOpen(), storesThatLose(), storesWithWrongNames(), storesThatKeepParts(t), storesThatMisopen(), storesThatInterfere())
}

func storesThatDoNotOpen() []badStore {
	once := after(1)
	return []badStore{
		{name: "no store", open: func() (pegboard.ResultStore, error) { return nil, errors.New("locked") }, rules: []string{tooltest.RuleStoreOpens}, got: "store 1: locked"},
		{name: "nil", open: func() (pegboard.ResultStore, error) { return nil, nil }, rules: []string{tooltest.RuleStoreOpens}, got: "store 1 is nil"},
		{
			name: "only one at a time", rules: []string{tooltest.RuleStoreOpens}, got: "store 2: locked",
			open: func() (pegboard.ResultStore, error) {
				if once() {
					return nil, errors.New("locked")
				}
				return &memoryStore{place: newPlace()}, nil
			},
		},
		{
			name: "another place each time", rules: []string{tooltest.RuleStoreKeeps}, got: "store 2: open",
			open: func() (pegboard.ResultStore, error) { return &memoryStore{place: newPlace()}, nil },
		},
	}
}

func storesThatLose() []badStore {
	keeps := []string{tooltest.RuleStoreKeeps}
	return []badStore{
		{name: "full", rules: keeps, got: "Put failed: no space left", change: func(m *memoryStore) {
			m.read = func(io.Reader) ([]byte, error) { return nil, errors.New("no space left") }
		}},
		{name: "nothing is empty", rules: keeps, got: "Put failed: empty", change: func(m *memoryStore) {
			m.read = func(r io.Reader) ([]byte, error) {
				text, err := io.ReadAll(r)
				if len(text) == 0 {
					return nil, errors.New("empty")
				}
				return text, err
			}
		}},
		{name: "text is UTF-8", rules: keeps, got: "which differ from byte 0 on", change: func(m *memoryStore) {
			m.read = func(r io.Reader) ([]byte, error) {
				text, err := io.ReadAll(r)
				for i := range text {
					if text[i] >= utf8.RuneSelf {
						text[i] = '?'
					}
				}
				return text, err
			}
		}},
		{name: "size of what is never kept", rules: keeps, got: "Size is 0", change: func(m *memoryStore) {
			m.say = func(s pegboard.StoredResult) pegboard.StoredResult { s.Size = 0; return s }
		}},
		{name: "more than was put", rules: keeps, got: "7 bytes follow", change: func(m *memoryStore) {
			m.open = func(ref string) (io.ReadCloser, error) {
				r, err := m.get(ref)
				if err != nil || m.size(ref) < large {
					return r, err
				}
				return io.NopCloser(io.MultiReader(r, strings.NewReader("the end"))), nil
			}
		}},
		{name: "less than it says", rules: keeps, got: "after 1048575 bytes, of 1048576 that are kept", change: func(m *memoryStore) {
			m.open = func(ref string) (io.ReadCloser, error) {
				r, err := m.get(ref)
				if err != nil {
					return nil, err
				}
				return io.NopCloser(io.LimitReader(r, large-1)), nil
			}
		}},
		{name: "no such file", rules: keeps, got: "no such file", change: func(m *memoryStore) {
			m.say = func(s pegboard.StoredResult) pegboard.StoredResult { s.Path, _ = filepath.Abs("never"); return s }
		}},
		{name: "relative path", rules: keeps, got: "is not absolute", change: func(m *memoryStore) {
			m.say = func(s pegboard.StoredResult) pegboard.StoredResult { s.Path = "never"; return s }
		}},
		{name: "a limit ends reading", rules: []string{tooltest.RuleStoreReads}, got: "did not read until io.EOF", change: func(m *memoryStore) {
			m.read = func(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, large/4*3)) }
		}},
	}
}

func storesWithWrongNames() []badStore {
	same, apart, paths := tooltest.RuleStoreSame, tooltest.RuleStoreApart, tooltest.RuleStorePaths
	return []badStore{
		{name: "numbered", rules: []string{same, tooltest.RuleStoreConcurrent}, got: "put again into store 1", change: func(m *memoryStore) {
			m.name = func(string, []byte) string { return fmt.Sprint("m-", m.count()) }
		}},
		{name: "named after the store", rules: []string{same, tooltest.RuleStoreConcurrent}, got: "put again into store 2", change: func(m *memoryStore) {
			m.name = func(id string, text []byte) string { return fmt.Sprintf("m-%p-%s", m, hashed(id, text)) }
		}},
		{name: "named after the pieces", rules: []string{same}, got: "put again", change: func(m *memoryStore) {
			m.put = func(_ context.Context, id string, r io.Reader) (pegboard.StoredResult, error) {
				first := make([]byte, 1024)
				n, err := r.Read(first)
				if err != nil && !errors.Is(err, io.EOF) {
					return pegboard.StoredResult{}, err
				}
				rest, err := io.ReadAll(r)
				if err != nil {
					return pegboard.StoredResult{}, err
				}
				text := slices.Concat(first[:n], rest)
				ref := fmt.Sprintf("%s-%d", hashed(id, text), n)
				return m.keep(ref, text), nil
			}
		}},
		{
			name: "another process fails", rules: []string{same}, got: "has put 0 of 6 results: no program",
			checker: tooltest.StoreChecker{Elsewhere: func() ([]pegboard.StoredResult, error) { return nil, errors.New("no program") }},
		},
		{
			name: "named after the process", rules: []string{same}, got: "in the other process",
			checker: tooltest.StoreChecker{Elsewhere: func() ([]pegboard.StoredResult, error) {
				return tooltest.StoreSample(&memoryStore{place: newPlace(), name: func(id string, text []byte) string { return "other-" + hashed(id, text) }})
			}},
		},
		{name: "named after the call", rules: []string{apart}, got: "is also that of other bytes", change: func(m *memoryStore) {
			m.name = func(id string, _ []byte) string { return hashed(id, nil) }
		}},
		{name: "a short sum", rules: []string{apart}, got: "is also that of other bytes", change: func(m *memoryStore) {
			m.name = func(id string, text []byte) string { return hashed(id, text)[:4] }
		}},
		{name: "names without letter case", rules: []string{apart}, got: "is also that of other bytes", change: func(m *memoryStore) {
			m.name = func(id string, text []byte) string { return hashed(strings.ToLower(id), text[:min(len(text), 8)]) }
		}},
		{name: "the call's id in the name", rules: []string{paths}, got: "is not one line of visible text", change: func(m *memoryStore) {
			m.name = func(id string, text []byte) string { return "m-" + id + hashed("", text) }
		}},
		{name: "the call's id as a folder", rules: []string{paths}, got: `has the element ".."`, change: func(m *memoryStore) {
			m.name = func(id string, text []byte) string { return "m/" + id + "/" + hashed("", text) }
		}},
		{name: "the call's id begins the name", rules: []string{paths}, got: "is an absolute path", change: func(m *memoryStore) {
			m.name = func(id string, text []byte) string { return id + hashed("", text) }
		}},
		{name: "a long name", rules: []string{paths}, got: "has 10", change: func(m *memoryStore) {
			m.name = func(id string, text []byte) string {
				return strings.Repeat("n", max(0, len(id)-1)) + hashed(id, text)
			}
		}},
		{name: "no name", rules: []string{tooltest.RuleStorePaths, tooltest.RuleStoreApart}, got: `Ref "" is empty`, change: func(m *memoryStore) {
			m.name = func(string, []byte) string { return "" }
		}},
	}
}

func storesThatKeepParts(t *testing.T) []badStore {
	t.Helper()
	partial := []string{tooltest.RuleStorePartial}
	return []badStore{
		{name: "a broken stream counts", rules: partial, got: "and no error, though its reader failed", change: func(m *memoryStore) {
			m.read = func(r io.Reader) ([]byte, error) { text, _ := io.ReadAll(r); return text, nil }
		}},
		{name: "a stream that was cut counts", rules: partial, got: "and no error, though its reader ended with io.ErrUnexpectedEOF", change: func(m *memoryStore) {
			m.read = func(r io.Reader) ([]byte, error) {
				text, err := io.ReadAll(r)
				if errors.Is(err, io.ErrUnexpectedEOF) {
					err = nil
				}
				return text, err
			}
		}},
		{name: "a name for the half", rules: partial, got: "can be opened", change: func(m *memoryStore) {
			m.put = func(_ context.Context, id string, r io.Reader) (pegboard.StoredResult, error) {
				text, err := io.ReadAll(r)
				return m.hold(id, text), err
			}
		}},
		{name: "the end of the context ends the stream", rules: partial, got: "Size is ", change: func(m *memoryStore) {
			m.put = func(ctx context.Context, id string, r io.Reader) (pegboard.StoredResult, error) {
				text, err := io.ReadAll(readerUntil{ctx, r})
				if err != nil {
					return pegboard.StoredResult{}, err
				}
				return m.hold(id, text), nil
			}
		}},
		{name: "written in place", rules: partial, got: "which differ from byte", open: writingInPlace(t)},
		{name: "what failed is taken for the result", rules: partial, got: "Size is ", change: func(m *memoryStore) {
			m.put = func(_ context.Context, id string, r io.Reader) (pegboard.StoredResult, error) {
				text, err := io.ReadAll(r)
				if err != nil {
					m.keep("failed"+id, text)
					return pegboard.StoredResult{}, err
				}
				if half, err := m.get("failed" + id); err == nil {
					text, _ = io.ReadAll(half)
				}
				return m.hold(id, text), nil
			}
		}},
	}
}

// readerUntil ends when its context does.
type readerUntil struct {
	ctx context.Context //nolint:containedctx // a Read has no context of its own
	r   io.Reader
}

func (r readerUntil) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if r.ctx.Err() != nil {
		err = io.EOF
	}
	return n, err
}

// writingInPlace opens stores that write to the file that other readers see, unless it is
// there.
func writingInPlace(t *testing.T) func() (pegboard.ResultStore, error) {
	t.Helper()
	dir := t.TempDir()
	return storesOver(newPlace(), func(m *memoryStore) {
		path := func(ref string) string { return filepath.Join(dir, hashed(ref, nil)) }
		m.put = func(_ context.Context, id string, r io.Reader) (pegboard.StoredResult, error) {
			// The name needs the bytes, so this store has them before it writes.
			begin := make([]byte, 64)
			n, err := io.ReadFull(r, begin)
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return pegboard.StoredResult{}, err
			}
			ref := hashed(id, begin[:n])
			file, err := os.OpenFile(path(ref), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, os.ErrExist) {
				rest, err := io.Copy(io.Discard, r)
				return pegboard.StoredResult{Ref: ref, Size: int64(n) + rest}, err
			}
			if err != nil {
				return pegboard.StoredResult{}, err
			}
			size, err := io.Copy(file, io.MultiReader(strings.NewReader(string(begin[:n])), r))
			return pegboard.StoredResult{Ref: ref, Size: size}, errors.Join(err, file.Close(), removeIf(err, path(ref)))
		}
		m.open = func(ref string) (io.ReadCloser, error) { return os.Open(path(ref)) }
	})
}

func removeIf(failed error, path string) error {
	if failed == nil {
		return nil
	}
	return os.Remove(path)
}

func storesThatMisopen() []badStore {
	unknown, changes := []string{tooltest.RuleStoreUnknown}, []string{tooltest.RuleStoreChanges}
	return []badStore{
		{name: "an error of its own", rules: unknown, got: "does not wrap fs.ErrNotExist: gone", change: func(m *memoryStore) {
			m.open = func(ref string) (io.ReadCloser, error) {
				r, err := m.get(ref)
				if err != nil {
					err = errors.New("gone")
				}
				return r, err
			}
		}},
		{name: "nothing for what is not there", rules: unknown, got: "Open returned no reader and no error", change: func(m *memoryStore) {
			m.open = func(ref string) (io.ReadCloser, error) {
				if r, err := m.get(ref); err == nil {
					return r, nil
				}
				return nil, nil
			}
		}},
		{name: "names are trimmed", rules: unknown, got: "Open returned a reader and no error", change: func(m *memoryStore) {
			m.open = func(ref string) (io.ReadCloser, error) { return m.get(strings.TrimSpace(ref)) }
		}},
		{name: "opens what it is told", rules: []string{tooltest.RuleStorePaths}, got: "Open opens a file outside the store", change: func(m *memoryStore) {
			m.open = func(ref string) (io.ReadCloser, error) {
				if r, err := m.get(ref); err == nil {
					return r, nil
				}
				if !strings.Contains(ref, "outside.txt") {
					return m.get(ref)
				}
				return os.Open(ref)
			}
		}},
		{name: "keeps the last sixty", rules: []string{tooltest.RuleStoreConcurrent, tooltest.RuleStoreChanges}, got: "file does not exist", change: func(m *memoryStore) {
			m.put = func(_ context.Context, id string, r io.Reader) (pegboard.StoredResult, error) {
				text, err := io.ReadAll(r)
				if err != nil {
					return pegboard.StoredResult{}, err
				}
				defer m.forget(60)
				return m.hold(id, text), nil
			}
		}},
		{name: "a reader is closed after a while", rules: changes, got: "a reader that was open gave", change: func(m *memoryStore) {
			m.open = func(ref string) (io.ReadCloser, error) {
				r, err := m.get(ref)
				if err != nil {
					return nil, err
				}
				return io.NopCloser(&leasedReader{m: m, r: r, until: m.count() + 50}), nil
			}
		}},
	}
}

// leasedReader fails when its store holds so many results.
type leasedReader struct {
	m     *memoryStore
	r     io.Reader
	until int
}

func (l *leasedReader) Read(p []byte) (int, error) {
	if l.m.count() > l.until {
		return 0, errors.New("closed by the server")
	}
	return l.r.Read(p)
}

func storesThatInterfere() []badStore {
	parts := callParts{read: map[string][]byte{}}
	var numbered atomic.Int64
	crowd, crowded := &tooltest.Barrier{N: 8}, after(1)
	concurrent := tooltest.RuleStoreConcurrent
	return []badStore{
		{name: "readers share a position", rules: []string{concurrent, tooltest.RuleStoreChanges}, got: "of two readers", change: func(m *memoryStore) {
			var open sync.Map // by ref
			m.open = func(ref string) (io.ReadCloser, error) {
				r, err := m.get(ref)
				if err != nil {
					return nil, err
				}
				shared, _ := open.LoadOrStore(ref, r)
				reader, ok := shared.(io.Reader)
				if !ok {
					return nil, errors.New("the map has readers only")
				}
				return closing{reader, func() { open.Delete(ref) }}, nil
			}
		}},
		{name: "one Put at a time", rules: []string{concurrent}, got: "while another Put waits for its reader: busy", change: func(m *memoryStore) {
			var mu sync.Mutex
			m.put = func(_ context.Context, id string, r io.Reader) (pegboard.StoredResult, error) {
				if !mu.TryLock() {
					return pegboard.StoredResult{}, errors.New("busy")
				}
				defer mu.Unlock()
				text, err := io.ReadAll(r)
				if err != nil {
					return pegboard.StoredResult{}, err
				}
				return m.hold(id, text), nil
			}
		}},
		{name: "one Put of a result", rules: []string{concurrent}, got: "Put by several goroutines: exists", change: func(m *memoryStore) {
			m.put = func(_ context.Context, id string, r io.Reader) (pegboard.StoredResult, error) {
				text, err := io.ReadAll(r)
				if err != nil {
					return pegboard.StoredResult{}, err
				}
				if id == "crowd" && (crowd.Wait(context.Background()) != nil || crowded()) {
					return pegboard.StoredResult{}, errors.New("exists")
				}
				return m.hold(id, text), nil
			}
		}},
		{name: "numbered in a crowd", rules: []string{concurrent}, got: "Put by several goroutines gave", change: func(m *memoryStore) {
			m.name = func(id string, text []byte) string {
				if id == "crowd" {
					return fmt.Sprint(hashed(id, text), numbered.Add(1))
				}
				return hashed(id, text)
			}
		}},
		{name: "results of one call mix", rules: []string{tooltest.RuleStorePartial}, got: "Size is", change: func(m *memoryStore) {
			m.put = func(_ context.Context, id string, r io.Reader) (pegboard.StoredResult, error) {
				defer parts.end(id)
				buf := make([]byte, 32<<10)
				for {
					n, err := r.Read(buf)
					read := parts.add(id, buf[:n])
					if errors.Is(err, io.EOF) {
						return m.hold(id, slices.Clone(read)), nil
					}
					if err != nil {
						return pegboard.StoredResult{}, err
					}
				}
			}
		}},
	}
}

// callParts holds what was read of the calls so far.
type callParts struct {
	mu   sync.Mutex
	read map[string][]byte
}

func (c *callParts) add(id string, part []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read[id] = append(c.read[id], part...)
	return c.read[id]
}

func (c *callParts) end(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.read, id)
}

// closing is a reader that tells of its end.
type closing struct {
	io.Reader
	closed func()
}

func (c closing) Close() error { c.closed(); return nil }

// storesThatCrash break the rule that every method returns.
func storesThatCrash() []badStore {
	returns := []string{tooltest.RuleStoreReturns}
	return []badStore{
		{name: "open panics", rules: returns, got: "open: panic: no", open: func() (pegboard.ResultStore, error) { panic("no") }},
		{name: "Put panics", rules: returns, got: "Put: panic: no", change: func(m *memoryStore) {
			m.read = func(io.Reader) ([]byte, error) { panic("no") }
		}},
		{name: "Put ends the goroutine", rules: returns, got: "Put: the function ended its goroutine", change: func(m *memoryStore) {
			m.read = func(io.Reader) ([]byte, error) { runtime.Goexit(); return nil, nil }
		}},
		{name: "Open panics on what is unknown", rules: returns, got: "Open: panic: unknown", change: func(m *memoryStore) {
			m.open = func(ref string) (io.ReadCloser, error) {
				r, err := m.get(ref)
				if err != nil {
					panic("unknown")
				}
				return r, nil
			}
		}},
		{name: "a reader panics when it is closed", rules: returns, got: "Open and read: panic: closed", change: func(m *memoryStore) {
			m.open = func(ref string) (io.ReadCloser, error) {
				r, err := m.get(ref)
				if err != nil {
					return nil, err
				}
				return closing{r, func() { panic("closed") }}, nil
			}
		}},
	}
}

// storesThatHang do not return until release is closed.
func storesThatHang(release chan struct{}) []badStore {
	returns := []string{tooltest.RuleStoreReturns}
	held := make(chan struct{}, 1)
	return []badStore{
		{name: "Put", rules: returns, got: "Put did not return within 1m0s", change: func(m *memoryStore) {
			m.read = func(io.Reader) ([]byte, error) { <-release; return nil, nil }
		}},
		{name: "Open", rules: returns, got: "Open and read did not return within 1m0s", change: func(m *memoryStore) {
			m.open = func(string) (io.ReadCloser, error) { <-release; return nil, errors.New("no") }
		}},
		{name: "Put waits for the reader of another", rules: []string{tooltest.RuleStoreConcurrent}, got: "while another Put waits for its reader, did not return", change: func(m *memoryStore) {
			m.read = func(r io.Reader) ([]byte, error) {
				held <- struct{}{}
				defer func() { <-held }()
				return io.ReadAll(r)
			}
		}},
	}
}

// badTools break one rule each.
func badTools() []badTool {
	return slices.Concat(badIdentities(), badDeclarations(), badInputs(), badTraits(), badKinds(), badLines(), badEndings())
}

type badTool struct {
	name   string
	tool   pegboard.Tool
	inputs []string // nil: both good ones
	rule   string
	got    string // part of the first violation's text
}

func badIdentities() []badTool {
	changed, panics := after(repeats-8), after(1)
	return []badTool{
		{name: "nil", tool: nil, rule: tooltest.RuleRegisters, got: "is nil"},
		{name: "not built", tool: struct{ pegboard.Tool }{}, rule: tooltest.RuleRegisters, got: "Info: panic"},
		{
			name: "not built, with a name", tool: bent{info: good().Info},
			rule: tooltest.RuleRegisters, got: "is not made by Build",
		},
		{
			name: "invalid name", tool: bent{Tool: good(), info: func() pegboard.Info { return pegboard.Info{Name: "a\nb"} }},
			rule: tooltest.RuleRegisters, got: "control character",
		},
		{
			name: "changing info", rule: tooltest.RuleInfo, got: "RequiresUser:true",
			tool: bent{Tool: good(), info: func() pegboard.Info { return pegboard.Info{Name: "Read", RequiresUser: changed()} }},
		},
		{
			name: "info panics later", rule: tooltest.RuleReturns, got: "Info: panic: late",
			tool: bent{Tool: good(), info: func() pegboard.Info {
				if panics() {
					panic("late")
				}
				return good().Info()
			}},
		},
	}
}

func badDeclarations() []badTool {
	counted, flipped, hidden := after(1), after(1), after(repeats-8)
	return []badTool{
		{
			name: "not offered", rule: tooltest.RuleDeclared, got: "does not offer",
			tool: bent{Tool: good(), declare: func(*pegboard.Session) (pegboard.Declaration, bool) { return pegboard.Declaration{}, false }},
		},
		{
			name: "declared under a stranger's name", rule: tooltest.RuleDeclared, got: `"Write"`,
			tool: declaring(func(_ *pegboard.Session, d *pegboard.Declaration) { d.Name = "Write" }),
		},
		{
			name: "changing description", rule: tooltest.RuleStable, got: "it was",
			tool: declaring(func(_ *pegboard.Session, d *pegboard.Declaration) {
				if counted() {
					d.Description += " Again."
				}
			}),
		},
		{
			name: "changing bytes of one schema", rule: tooltest.RuleStable, got: "it was",
			tool: declaring(func(_ *pegboard.Session, d *pegboard.Declaration) {
				if flipped() {
					d.InputSchema = json.RawMessage(string(d.InputSchema) + " ")
				}
			}),
		},
		{
			name: "offered now and then", rule: tooltest.RuleStable, got: "then not offered",
			tool: bent{Tool: good(), declare: func(s *pegboard.Session) (pegboard.Declaration, bool) {
				d, _ := good().Declare(pegboard.Scope{Session: s})
				return d, !hidden()
			}},
		},
		{
			name: "another schema for agents", rule: tooltest.RuleStable, got: "in a fork",
			tool: declaring(func(s *pegboard.Session, d *pegboard.Declaration) {
				if s.AgentID() != "" {
					d.InputSchema = json.RawMessage(`{"type":"object"}`)
				}
			}),
		},
		{name: "schema of a list", tool: declaringSchema(`{"type":"array"}`, goodSchema), rule: tooltest.RuleSchema, got: `without "type": "object"`},
		{name: "schema without a type", tool: declaringSchema(`{}`, goodSchema), rule: tooltest.RuleSchema, got: `without "type": "object"`},
		{name: "schema true", tool: declaringSchema(`true`, goodSchema), rule: tooltest.RuleSchema, got: "it is true"},
		{name: "schema is not JSON", tool: declaringSchema(`{"type":`, goodSchema), rule: tooltest.RuleSchema, got: "unexpected end"},
		{
			name: "declare panics", rule: tooltest.RuleReturns, got: "Declare: panic: no",
			tool: declaring(func(*pegboard.Session, *pegboard.Declaration) { panic("no") }),
		},
	}
}

func badInputs() []badTool {
	closedAfter := after(2) // the executor and the goroutines of the first look ask more often
	lax := `{"type":"object"}`
	return []badTool{
		{name: "no input", tool: good(), inputs: []string{}, rule: tooltest.RuleInputs, got: "no input"},
		{name: "wrong input", tool: good(), inputs: []string{`{"pfad":"a"}`}, rule: tooltest.RuleAccepts, got: "decode Read"},
		{
			name: "validation refuses", rule: tooltest.RuleAccepts, got: "validate Read: invalid input: no",
			tool: bent{Tool: good(), validate: func(*pegboard.Call) error { return errors.New("no") }},
		},
		{
			name: "the tool denies", rule: tooltest.RuleAccepts, got: "permission Read: denied: never",
			tool: bent{Tool: good(), permit: func(*pegboard.Call) policy.Decision {
				return policy.Decision{Behavior: policy.Deny, Reason: "never"}
			}},
		},
		{
			name: "accepted only once", rule: tooltest.RuleAccepts, got: "after other calls: validate", inputs: []string{otherInput},
			tool: bent{Tool: good(), validate: func(*pegboard.Call) error {
				if closedAfter() {
					return errors.New("enough")
				}
				return nil
			}},
		},
		{name: "required not enforced", tool: declaringSchema(`{"type":"object","required":["path"]}`, lax), rule: tooltest.RuleRefuses, got: "/path is required and missing"},
		{name: "closed not enforced", tool: declaringSchema(`{"type":"object","additionalProperties":false}`, lax), rule: tooltest.RuleRefuses, got: "/unexpected is no property"},
		{
			name: "type not enforced", rule: tooltest.RuleRefuses, got: "/path has the wrong type",
			tool: declaringSchema(`{"type":"object","properties":{"path":{"type":"string"}}}`, `{"type":"object","properties":{"path":{}}}`),
		},
		{
			name: "case not enforced", rule: tooltest.RuleRefuses, got: "/path is written Path",
			tool: declaringSchema(`{"type":"object","properties":{"path":{}}}`, lax),
		},
		{
			name: "a list is taken", rule: tooltest.RuleRefuses, got: "an array stands in place",
			tool: declaringSchema(lax, `{"type":["object","array"]}`),
		},
		{
			name: "null is taken", rule: tooltest.RuleRefuses, got: "null stands in place",
			tool: declaringSchema(lax, `{"type":["object","null"]}`),
		},
		{
			name: "refused, but not as input", rule: tooltest.RuleRefuses, got: "what refused it was not the schema",
			tool: bent{
				Tool: declaringSchema(lax, `{"type":["object","null"]}`),
				permit: func(c *pegboard.Call) policy.Decision {
					if string(c.Input) == "null" {
						return policy.Decision{Behavior: policy.Deny}
					}
					return policy.Decision{}
				},
			},
		},
	}
}

func badTraits() []badTool {
	counted, crowded, called := after(repeats-8), after(repeats), new(atomic.Bool)
	var last atomic.Value
	last.Store("")
	return []badTool{
		{
			name: "changing traits", rule: tooltest.RulePure, got: "asked again", inputs: []string{goodInput},
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.OpenWorld = counted() }),
		},
		{
			name: "changing in a crowd", rule: tooltest.RulePure, got: "by several goroutines", inputs: []string{goodInput},
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.OpenWorld = crowded() }),
		},
		{
			name: "traits that remember another input", rule: tooltest.RulePure, got: "asked after other calls",
			tool: traitsFrom(func(c *pegboard.Call, tr *pegboard.Traits) {
				tr.OpenWorld = string(c.Input) == goodInput && last.Load() == otherInput
				if string(c.Input) == goodInput || string(c.Input) == otherInput {
					last.CompareAndSwap("", string(c.Input))
					if string(c.Input) == otherInput {
						last.Store(otherInput)
					}
				}
			}),
		},
		{
			name: "traits that remember a call", rule: tooltest.RulePure, got: "asked after other calls", inputs: []string{goodInput},
			tool: bent{
				Tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.OpenWorld = called.Load() }),
				call: func(context.Context, *pegboard.Call) { called.Store(true) },
			},
		},
		{
			name: "reads and destroys", rule: tooltest.RuleCoherent, got: "read-only and destructive",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Destructive = true }),
		},
		{
			name: "reads what it writes", rule: tooltest.RuleCoherent, got: "is to write a.txt",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Targets[0].Access = policy.Write }),
		},
		{
			name: "a URL as host", rule: tooltest.RuleClear, got: "name the host alone, as example.com",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) {
				tr.Targets[0].Kind, tr.Targets[0].Value = policy.Host, "https://example.com/x"
			}),
		},
		{
			name: "no host", rule: tooltest.RuleClear, got: "a character that no host has",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) {
				tr.Targets[0].Kind, tr.Targets[0].Value = policy.Host, "*.example.com"
			}),
		},
		{
			name: "a URL as path", rule: tooltest.RuleClear, got: "of the scheme file",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Targets[0].Value = "file:///a.txt" }),
		},
	}
}

func badKinds() []badTool {
	writes := func(change func(tr *pegboard.Traits)) pegboard.Tool {
		return traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.ReadOnly = false; change(tr) })
	}
	return []badTool{
		{
			name: "an edit that reads", rule: tooltest.RuleKind, got: "the kind is edit, and the call is read-only",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Kind = pegboard.KindEdit }),
		},
		{
			name: "a search that destroys", rule: tooltest.RuleKind, got: "the kind is search, and the call is destructive",
			tool: writes(func(tr *pegboard.Traits) { tr.Kind, tr.Destructive = pegboard.KindSearch, true }),
		},
		{
			name: "a reader that writes", rule: tooltest.RuleKind, got: "the kind is read, and one of the targets is to write a.txt",
			tool: writes(func(tr *pegboard.Traits) { tr.Kind, tr.Targets[0].Access = pegboard.KindRead, policy.Write }),
		},
		{
			name: "its own file", rule: tooltest.RuleOwn, got: "Own is set, and one of the targets is to write a.txt",
			tool: writes(func(tr *pegboard.Traits) { tr.Own, tr.Targets[0].Access = true, policy.Write }),
		},
		{
			name: "its own, without a name", rule: tooltest.RuleOwn, got: "names no target",
			tool: writes(func(tr *pegboard.Traits) { tr.Own, tr.Targets = true, nil }),
		},
		{
			name: "a path in no target", rule: tooltest.RulePlaces, got: `the property path is "a.txt", and no target has it`,
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Targets = nil }), inputs: []string{`{"path":"a.txt"}`},
		},
		{
			name: "a line that tells more", rule: tooltest.RuleView, got: `a line tells no more: Result.Line has "token-4711"`,
			tool: tooltest.StandIn(good(), tooltest.Reply{Result: &pegboard.Result{Parts: []pegboard.Part{{Text: "read"}}, Line: "Read with token-4711"}}),
		},
	}
}

func badLines() []badTool {
	changing := after(repeats / 2)
	return []badTool{
		{
			name: "a title of two lines", rule: tooltest.RuleLines, got: `Info.Title is "Read\na file"`,
			tool: bent{Tool: good(), info: func() pegboard.Info { return pegboard.Info{Name: "Read", Title: "Read\na file"} }},
		},
		{
			name: "a line of two lines", rule: tooltest.RuleLines, got: `Lines.Before is "Read\na.txt"`,
			tool: bent{Tool: good(), lines: func(*pegboard.Call) pegboard.Summary { return pegboard.Summary{Before: "Read\na.txt"} }},
		},
		{
			name: "a line that hides something", rule: tooltest.RuleLines, got: `Lines.While is "Reading \u202ea.txt"`,
			tool: bent{Tool: good(), lines: func(*pegboard.Call) pegboard.Summary { return pegboard.Summary{While: "Reading \u202ea.txt"} }},
		},
		{
			name: "a blank line", rule: tooltest.RuleLines, got: `Lines.Title is " "`,
			tool: bent{Tool: good(), lines: func(*pegboard.Call) pegboard.Summary { return pegboard.Summary{Title: " "} }},
		},
		{
			name: "changing lines", rule: tooltest.RuleLines, got: "asked again", inputs: []string{goodInput},
			tool: bent{Tool: good(), lines: func(*pegboard.Call) pegboard.Summary {
				if changing() {
					return pegboard.Summary{Before: "Again"}
				}
				return pegboard.Summary{}
			}},
		},
		{
			name: "a kind that does not exist", rule: tooltest.RuleLines, got: "the kind invalid",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Kind = 99 }),
		},
		{
			name: "lines panic", rule: tooltest.RuleReturns, got: "Lines: panic: no",
			tool: bent{Tool: good(), lines: func(*pegboard.Call) pegboard.Summary { panic("no") }},
		},
	}
}

func badEndings() []badTool {
	crowded := after(repeats)
	return []badTool{
		{
			name: "traits panic", rule: tooltest.RuleReturns, got: "targets Read: panicked at ",
			tool: traitsFrom(func(*pegboard.Call, *pegboard.Traits) { panic("no") }),
		},
		{
			name: "traits panic in a crowd", rule: tooltest.RuleReturns, got: "by several goroutines", inputs: []string{goodInput},
			tool: traitsFrom(func(*pegboard.Call, *pegboard.Traits) {
				if crowded() {
					panic("no")
				}
			}),
		},
		{
			name: "validate panics", rule: tooltest.RuleReturns, got: "validate Read: panicked",
			tool: bent{Tool: good(), validate: func(*pegboard.Call) error { panic("no") }},
		},
		{
			name: "permit panics", rule: tooltest.RuleReturns, got: "permission Read: panicked",
			tool: bent{Tool: good(), permit: func(*pegboard.Call) policy.Decision { panic("no") }},
		},
		{
			name: "the classifier's text panics", rule: tooltest.RuleReturns, got: "panic: no",
			tool: bent{Tool: good(), classify: func() string { panic("no") }},
		},
		{
			name: "call panics", rule: tooltest.RuleReturns, got: "Call: panic: no",
			tool: tooltest.StandIn(good(), tooltest.Reply{Panic: "no"}),
		},
		{
			name: "call ends the goroutine", rule: tooltest.RuleReturns, got: "Call: the function ended its goroutine",
			tool: tooltest.StandIn(good(), tooltest.Reply{Goexit: true}),
		},
	}
}

// hanging are tools with a stage that ends only when release is closed.
func hanging(release <-chan struct{}) []badTool {
	wait := func() { <-release }
	late := after(repeats + 1)
	var first atomic.Bool
	return []badTool{
		{
			name: "info", rule: tooltest.RuleReturns, got: "Info did not return within 5s",
			tool: bent{Tool: good(), info: func() pegboard.Info { wait(); return good().Info() }},
		},
		{
			name: "declare", rule: tooltest.RuleReturns, got: "Declare did not return within 5s",
			tool: declaring(func(*pegboard.Session, *pegboard.Declaration) { wait() }),
		},
		{
			name: "validate", rule: tooltest.RuleReturns, got: "a stage before the call did not return within 5s",
			tool: bent{Tool: good(), validate: func(*pegboard.Call) error { wait(); return nil }},
		},
		{
			name: "validate of a mutation", rule: tooltest.RuleReturns, got: "(input null)",
			tool: bent{
				Tool: declaringSchema(`{"type":"object"}`, `{"type":["object","null"]}`),
				validate: func(c *pegboard.Call) error {
					if string(c.Input) == "null" {
						wait()
					}
					return nil
				},
			},
		},
		{
			name: "traits in a crowd", rule: tooltest.RuleReturns, got: "by several goroutines at once did not return",
			tool: traitsFrom(func(*pegboard.Call, *pegboard.Traits) {
				if late() {
					wait()
				}
			}),
		},
		{
			name: "call", rule: tooltest.RuleCancel, got: "Call did not return within 5s",
			tool: bent{Tool: good(), call: func(context.Context, *pegboard.Call) { wait() }},
		},
		{
			name: "one call of two", rule: tooltest.RuleCancel, got: "Call did not return within 5s",
			tool: bent{Tool: good(), call: func(context.Context, *pegboard.Call) {
				if first.CompareAndSwap(false, true) {
					wait()
				}
			}},
		},
	}
}

// TestSchemasOfOthersPassCheck checks one tool for each function that others
// described, with a call that they call valid: Check must find no fault with any
// that it can be built from.
func TestSchemasOfOthersPassCheck(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		inputs := validInputs(t, filepath.Join(folder, "bfcl", "calls.jsonl"))
		checked, unbuilt, without := 0, 0, 0
		for n, line := range corpus.Lines(t, filepath.Join(folder, "bfcl", "functions.jsonl")) {
			var f struct {
				ID, Name   string
				Parameters json.RawMessage
			}
			require.NoError(t, json.Unmarshal(line, &f))
			tool, err := pegboard.BuildRaw(f.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
				Info: pegboard.Info{Name: f.Name}, Call: nothing,
			})
			switch input, ok := inputs[f.ID]; {
			case err != nil:
				unbuilt++
			case !ok:
				without++
			default:
				checked++
				require.NoError(t, tooltest.Check(tool, input), "functions.jsonl:%d", n)
			}
		}
		corpus.Report(t, folder, "%d tools pass, %d have no valid call, %d cannot be built", checked, without, unbuilt)
	}
}

// validInputs returns one input for each function that has any.
func validInputs(t *testing.T, path string) map[string]string {
	t.Helper()
	inputs := map[string]string{}
	for _, line := range corpus.Lines(t, path) {
		var c struct {
			FunctionID string `json:"function_id"`
			Valid      bool
			Arguments  json.RawMessage
		}
		require.NoError(t, json.Unmarshal(line, &c))
		if c.Valid {
			inputs[c.FunctionID] = string(c.Arguments)
		}
	}
	return inputs
}
