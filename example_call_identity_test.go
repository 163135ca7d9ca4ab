package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// A listener keeps when each call was admitted, until the call has ended.
func ExampleCall_Identity() {
	admitted := map[any]time.Time{}
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		switch e.Kind {
		case pegboard.EventAdmitted:
			admitted[e.Call.Identity()] = e.Time
		case pegboard.EventFinished:
			_, known := admitted[e.Call.Identity()]
			fmt.Println(e.Call.Name, known)
			delete(admitted, e.Call.Identity())
		}
	}}
	ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet),
		pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(len(admitted), "left")
	// Output:
	// Greet true
	// 0 left
}

// A log writes the name that the model used only if it is that of a tool.
func ExampleCall_NamesTool() {
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventAdmitted {
			fmt.Println(e.Call.NamesTool())
		}
	}}
	p := pool(pegboard.SessionConfig{}, greet)
	ex.Run(context.Background(), p, pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	ex.Run(context.Background(), p, pegboard.Call{ID: "1", Name: "Send my notes", Input: json.RawMessage(`{}`)})
	// Output:
	// true
	// false
}
