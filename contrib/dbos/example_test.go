package dbos_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	sdk "github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/dbos"
)

// A program pays, and asks again after it was started anew.
func ExampleNewEngine() {
	dir, err := os.MkdirTemp("", "calls")
	check(err)
	defer os.RemoveAll(dir)
	pay := tool("Pay", pegboard.Traits{}, func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
		fmt.Println("the money goes")
		return pegboard.TextResult("paid"), nil
	})
	for range 2 { // the program, and the program after a restart
		d, err := sdk.NewContext(context.Background(), sdk.Config{
			AppName: "shop", DatabaseURL: "sqlite:" + filepath.Join(dir, "calls.db"), ApplicationVersion: "1", Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		})
		check(err)
		engine := dbos.NewEngine(d)
		check(sdk.Launch(d))
		pool, err := poolOf("conversation", pay)
		check(err)
		executor := pegboard.Executor{Invoke: engine.Invoke}
		outcomes := executor.Run(pegboard.WithTurn(context.Background(), "message 1"), pool, call("1", "Pay", `{}`))
		fmt.Println(outcomes[0].Result.Text())
		check(pool.Session().Close(context.Background()))
		check(sdk.Shutdown(d, time.Minute))
	}
	// Output:
	// the money goes
	// paid
	// paid
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
