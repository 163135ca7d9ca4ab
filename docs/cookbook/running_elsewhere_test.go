package cookbook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A job is a call on its way. Its input is no json.RawMessage: encoding/json would change bytes.
type job struct {
	ID, Tool, Digest string
	Input            []byte
}

// remote sends each call that was allowed to a worker. Send stands for the transport: a job and a
// reply are JSON.
func remote(send func(context.Context, job) (pegboard.CallReply, error)) pegboard.Invoke {
	return func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		reply, err := send(ctx, job{c.ID, c.Name, c.ToolDigest(), c.Input})
		if err != nil {
			return nil, pegboard.Transient(err, 0) // may be attempted again, see Info.Retry
		}
		return reply.Returned()
	}
}

// work does a job in the worker, which has the same tools and a session of its own.
func work(ctx context.Context, pool *pegboard.Pool, j job) (pegboard.CallReply, error) {
	tool, call, err := pool.Rebuild(pegboard.Call{ID: j.ID, Name: j.Tool, Input: j.Input}) // decided before it was sent
	if err != nil {
		return pegboard.CallReply{}, err
	}
	if call.ToolDigest() != j.Digest {
		return pegboard.CallReply{}, fmt.Errorf("the worker has another version of %s", j.Tool)
	}
	fmt.Println("the worker runs", call.ToolName())
	return pegboard.NewCallReply(tool.Call(ctx, call)), nil
}

func Example_runningElsewhere() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var registry pegboard.Registry
	if err := registry.Add(countWords); err != nil {
		log.Fatal(err)
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{}) // one process plays both parts here
	executor := pegboard.Executor{Invoke: remote(func(ctx context.Context, j job) (pegboard.CallReply, error) { return work(ctx, pool, j) })}
	fmt.Println(executor.Run(context.Background(), pool, tooltest.Call("CountWords", `{"text": "to be"}`))[0].Result.Text())
	// Output:
	// the worker runs CountWords
	// 2 words
}
