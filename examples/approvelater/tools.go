package main

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

type version struct {
	Version string `json:"version"`
}

// tools returns the tools of the agent. They do nothing but say so.
func tools() []pegboard.Tool {
	return []pegboard.Tool{
		build("Changelog", "Reads what has changed in a version.", policy.Read, "changes of "),
		build("Publish", "Publishes a version.", policy.Write, "published "),
		build("Announce", "Tells the users of a version.", policy.Write, "announced "),
	}
}

func build(name, description string, access policy.Access, did string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[version, string]{
		Info: pegboard.Info{Name: name}, Description: description,
		Inspect: func(v version, _ *pegboard.Call) pegboard.Traits {
			if access == policy.Read {
				return pegboard.Traits{Concurrency: pegboard.Shared, ReadOnly: true}
			}
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Resource, Value: name + "/" + v.Version}}}
		},
		Call: func(_ context.Context, v version, _ *pegboard.Call) (string, error) { return did + v.Version, nil },
	})
}
