package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A wire makes its form of a definition once. It is remembered with the tool.
func ExampleDeclaration_Encoded() {
	for d := range pool(pegboard.SessionConfig{}, greet).Declarations(pegboard.Builtin) {
		for range 2 {
			form := d.Encoded("my-provider", func(d pegboard.Declaration) []byte {
				fmt.Println("encoding", d.Name)
				return []byte(`{"function":"` + d.Name + `"}`)
			})
			fmt.Println(string(form))
		}
	}
	// Output:
	// encoding Greet
	// {"function":"Greet"}
	// {"function":"Greet"}
}
