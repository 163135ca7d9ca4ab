package schedule_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
)

// cloud is a service with one trigger.
type cloud struct{}

// Do answers as the service would.
func (cloud) Do(_ context.Context, r schedule.Request) (int, json.RawMessage, error) {
	if r.Action == schedule.ActionList {
		return 200, json.RawMessage(`["nightly"]`), nil
	}
	return 404, nil, nil
}

// The model lists the triggers of the host's service. What only reads needs no permission.
func ExampleRemoteTrigger() {
	s, _, _ := begin()
	tool, err := schedule.RemoteTrigger(cloud{})
	if err != nil {
		panic(err)
	}
	fmt.Println(call(s, []pegboard.Tool{tool}, "RemoteTrigger", `{"action": "list"}`).Result.Parts[0].Text)
	fmt.Println(schedule.ActionList.ReadOnly(), schedule.ActionRun.ReadOnly())
	// Output:
	// Status 200.
	// ["nightly"]
	// true false
}
