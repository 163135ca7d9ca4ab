package pegboard_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleInfo_WithAnnotations() {
	info := pegboard.Info{Name: "create_issue"}.WithAnnotations(json.RawMessage(`{"title":"Create issue"}`))
	fmt.Println(info.Title)
	// Output: Create issue
}

func ExampleInfo_WithMeta() {
	meta := json.RawMessage(`{"anthropic/alwaysLoad":true,"anthropic/maxResultSizeChars":100000}`)
	info := pegboard.Info{Name: "query"}.WithMeta(meta)
	fmt.Println(info.Loading, info.MaxResult)
	// Output: always 100000
}
