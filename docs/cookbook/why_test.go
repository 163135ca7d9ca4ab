package cookbook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func Example_why() {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Source: policy.SourceUser, Allow: []string{"CloseTicket"}, Ask: []string{"CloseTicket(OPS-*)"}, Deny: []string{"DropTable"},
	})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var registry pegboard.Registry
	if err := registry.Add(addEntry, closeTicket(tickets{}), dropTable); err != nil {
		log.Fatal(err)
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})

	// Why is it not there?
	fmt.Println(pool.Explain("DropTable"))
	fmt.Println(pool.Explain("Diary"))

	// Why was I asked?
	fmt.Print(pool.ExplainDecision(context.Background(), tooltest.Call("CloseTicket", `{"ticket": "OPS-1"}`)))

	// Why did it wait?
	may, june := tooltest.Call("AddEntry", `{"file": "may.md", "line": "rain"}`), tooltest.Call("AddEntry", `{"file": "june.md", "line": "sun"}`)
	fmt.Println(pool.Conflict(may, may))
	fmt.Println(pool.Conflict(may, june))
	// Output:
	// DropTable is not available here: deny rule "DropTable" from userSettings
	// Diary is not a registered tool
	// it would write OPS-1
	// the tool says: open-world
	// - deny rule "DropTable" from userSettings is about something else
	// ask: ask rule "CloseTicket(OPS-*)" from userSettings is about it (write OPS-1)
	// = ask: ask rule "CloseTicket(OPS-*)" from userSettings covers it
	// both write may.md true
	//  false
}
