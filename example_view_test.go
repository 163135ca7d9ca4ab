package pegboard_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

// noteInput is the input of the tool that the examples of View show.
type noteInput struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// noteTool is a tool that says what a person reads of its calls.
func noteTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[noteInput, string]{
		Info:        pegboard.Info{Name: "AddNote", Title: "Take a note"},
		Description: "Adds a line to a file of notes.",
		Inspect: func(in noteInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Kind: pegboard.KindEdit, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.File}}}
		},
		Lines: func(in noteInput, c *pegboard.Call) pegboard.Lines {
			name := c.Session().ShortPath(in.File)
			return pegboard.Lines{Before: "Note in " + name, While: "Noting in " + name}
		},
		Preview: func(_ context.Context, in noteInput, _ *pegboard.Call) ([]pegboard.Diff, error) {
			return []pegboard.Diff{noted(in)}, nil
		},
		Call: func(_ context.Context, in noteInput, _ *pegboard.Call) (string, error) { return in.File, nil },
		Result: func(file string) *pegboard.Result {
			r := pegboard.TextResult("The note is in " + file + ".")
			r.Line = "Noted 1 line"
			return r
		},
	})
}

// noted is what a note changes.
func noted(in noteInput) pegboard.Diff {
	return pegboard.Diff{Path: in.File, Hunks: []pegboard.Hunk{{OldStart: 3, NewStart: 3, NewLines: 1, Lines: []string{"+" + in.Text}}}}
}

// What a user interface shows of a call before, while and after it runs.
func ExampleCall_View() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			fmt.Println(q.Call.View().Before + "?")
			diffs, err := q.Preview(ctx)
			for _, d := range diffs {
				fmt.Print(d.Unified())
			}
			return pegboard.Decision{Behavior: pegboard.Allow}, err
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	var registry pegboard.Registry
	if err := registry.Add(noteTool()); err != nil {
		log.Fatal(err)
	}
	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventStarted {
			v := e.Call.View()
			fmt.Printf("[%v] %s: %s\n", v.Kind, v.Title, v.While)
		}
	}}
	outcomes := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "AddNote", Input: []byte(`{"file":"notes.txt","text":"Buy milk"}`)},
		pegboard.Call{ID: "2", Name: "AddNote", Input: []byte(`{"text":"Buy milk"}`)})
	for _, out := range outcomes {
		fmt.Println(out.View().After)
	}
	// Output:
	// Note in notes.txt?
	// @@ -2,0 +3 @@
	// +Buy milk
	// [edit] Take a note: Noting in notes.txt
	// Noted 1 line
	// Wrong input: missing required property "file" (string)
}

// Neighbouring calls that fold are one line.
func ExampleFoldedLine() {
	read := pegboard.View{Kind: pegboard.KindRead, Folds: true, Before: "Read go.mod"}
	search := pegboard.View{Kind: pegboard.KindSearch, Folds: true, Before: "Search for TODO"}
	fmt.Println(pegboard.FoldedLine(read))
	fmt.Println(pegboard.FoldedLine(read, search, read))
	// Output:
	// Read go.mod
	// 2 reads, 1 search
}

func ExampleDiff_Unified() {
	d := noted(noteInput{File: "notes.txt", Text: "Buy milk"})
	added, removed := d.Counts()
	fmt.Printf("%s: %d added, %d removed\n%s", d.Path, added, removed, d.Unified())
	// Output:
	// notes.txt: 1 added, 0 removed
	// @@ -2,0 +3 @@
	// +Buy milk
}
