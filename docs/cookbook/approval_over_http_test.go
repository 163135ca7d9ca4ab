package cookbook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// approvals lists the open questions of a session, and takes the answers of its user. Put it
// behind the login of the program: who reaches it decides what runs.
func approvals(session *pegboard.Session) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /questions", func(w http.ResponseWriter, _ *http.Request) {
		type question struct{ ID, Title, Reason string }
		list := []question{}
		for _, q := range session.Questions() {
			list = append(list, question{q.ID, q.Call.View().Title, q.Reason})
		}
		_ = json.NewEncoder(w).Encode(list)
	})
	mux.HandleFunc("POST /questions/{id}", func(w http.ResponseWriter, r *http.Request) {
		decision := policy.Decision{Behavior: policy.Deny, Reason: "the user declined"}
		if r.FormValue("allow") == "yes" {
			decision = policy.Decision{Behavior: policy.Allow}
		}
		if err := session.Answer(r.PathValue("id"), decision); err != nil {
			http.Error(w, err.Error(), http.StatusConflict) // for example, it was answered already
		}
	})
	return mux
}

// wait is the Ask of the session: the answer comes over HTTP, or the call is stopped.
func wait(ctx context.Context, _ *pegboard.Question) (policy.Decision, error) {
	<-ctx.Done()
	return policy.Decision{}, context.Cause(ctx)
}

func Example_approvalOverHTTP() {
	asked := make(chan string)
	session, err := pegboard.NewSession(pegboard.SessionConfig{Ask: func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
		asked <- q.ID // a program tells the browser
		return wait(ctx, q)
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	server := httptest.NewServer(approvals(session))
	defer server.Close()

	done := make(chan string)
	go func() {
		done <- tooltest.Run(context.Background(), closeTicket(tickets{"WEB-7": "open"}), session, `{"ticket": "WEB-7"}`).Result.Text()
	}()
	id := <-asked
	response, err := http.Get(server.URL + "/questions")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(strings.Replace(string(text), id, "ID", 1))
	for range 2 {
		response, err := http.PostForm(server.URL+"/questions/"+id, map[string][]string{"allow": {"yes"}})
		if err != nil {
			log.Fatal(err)
		}
		_ = response.Body.Close()
		fmt.Println(response.Status)
	}
	fmt.Println(<-done)
	// Output:
	// [{"ID":"ID","Title":"CloseTicket","Reason":"no rule allows it: CloseTicket wants to write WEB-7, beyond this machine"}]
	// 200 OK
	// 409 Conflict
	// WEB-7 is closed
}
