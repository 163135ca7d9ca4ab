package webtext_test

import (
	"context"
	"fmt"
	"net/url"

	"github.com/seed49eaa51d/pegboard/tools/internal/webtext"
)

func ExampleDecode() {
	d := webtext.Decode("text/html; charset=gb2312", []byte("<title>Caf\u00E9</title><p>It is UTF-8.</p>"))
	fmt.Println(d.Kind == webtext.HTML, d.Type, d.Charset)
	// Output: true text/html utf-8
}

func ExampleDocument_Text() {
	d := webtext.Decode("application/json; charset=iso-8859-1", []byte("[\"caf\xE9\"]"))
	fmt.Println(d.Text())
	// Output: ["café"]
}

func ExampleDocument_Title() {
	d := webtext.Decode("text/html", []byte("<title>\n Fish &amp;\n chips </title><p>They cost 12.</p>"))
	fmt.Println(d.Title(context.Background()))
	// Output: Fish & chips
}

func ExampleDocument_Markdown() {
	page := `<nav>Home</nav><h1>Prices</h1><p>See <a href="old.html">the old ones</a> or <a href="javascript:pay()">pay</a>.</p>
<table><tr><th>fish<th>price</tr><tr><td>cod<td>12</tr></table>`
	base, err := url.Parse("https://example.com/shop/")
	if err != nil {
		panic(err)
	}
	text, err := webtext.Decode("text/html", []byte(page)).Markdown(context.Background(), base)
	fmt.Println(text, err)
	// Output:
	// # Prices
	//
	// See [the old ones](https://example.com/shop/old.html) or pay.
	//
	// | fish | price |
	// |---|---|
	// | cod | 12 | <nil>
}
