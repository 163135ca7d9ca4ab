package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

type rateInput struct {
	From string `json:"from" jsonschema:"pattern=^[A-Z]{3}$,description=A currency such as EUR"`
	To   string `json:"to" jsonschema:"pattern=^[A-Z]{3}$,description=Another currency"`
}

type rate struct {
	Rate float64 `json:"rate"`
	Date string  `json:"date"`
}

// exchangeRate asks a service. Base is its address, such as https://rates.example.
func exchangeRate(base *url.URL, client *http.Client) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[rateInput, rate]{
		Info: pegboard.Info{
			Name: "ExchangeRate", Title: "Exchange rate", Timeout: 20 * time.Second, Interrupt: pegboard.InterruptCancel,
			Retry: pegboard.RetryPolicy{Attempts: 3, Delay: 100 * time.Millisecond},
		},
		Description: "Returns today's rate between two currencies.",
		Traits: pegboard.Traits{
			Targets:     []policy.Target{policy.Reaches(base.Hostname())},
			ReadOnly:    true,
			OpenWorld:   true,
			Concurrency: pegboard.Shared,
			Kind:        pegboard.KindFetch,
		},
		Summary: func(in rateInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Get the rate of " + in.From + " in " + in.To, While: "Getting the rate of " + in.From + " in " + in.To}
		},
		Call: func(ctx context.Context, in rateInput, c *pegboard.Call) (rate, error) {
			address := base.JoinPath(in.From, in.To).String()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
			if err != nil {
				return rate{}, err
			}
			response, err := web.Client(c, client).Do(request) // a redirect is decided as any other host
			if errors.Is(err, pegboard.ErrDenied) {
				return rate{}, err
			} else if err != nil {
				return rate{}, pegboard.Transient(fmt.Errorf("the service does not answer, try once more later: %w", err), 0)
			}
			defer response.Body.Close()
			switch response.StatusCode {
			case http.StatusOK:
			case http.StatusNotFound:
				return rate{}, fmt.Errorf("the service knows no rate from %s to %s; check the two codes", in.From, in.To)
			case http.StatusTooManyRequests, http.StatusServiceUnavailable:
				seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
				return rate{}, pegboard.Transient(errors.New("the service is overloaded"), time.Duration(seconds)*time.Second)
			default:
				return rate{}, fmt.Errorf("the service answers %s; try once more later", response.Status)
			}
			var out rate
			if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&out); err != nil {
				return rate{}, fmt.Errorf("the service sent no rate: %w", err)
			}
			return out, nil
		},
	})
}
