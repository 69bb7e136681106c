// Receives deliveries on http://localhost:3000/hook. Go 1.21 or newer, nothing to install:
//
//	cd examples/receivers/go && SIGNING_KEY=whsec_… go run .
//
// GET /blocks shows the chain as the deliveries tell it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// Results go up to 10 MB.
const bodyBytesMax = 11_000_000

func main() {
	log.SetFlags(0)
	// Two keys, with a comma between them, while one replaces the other.
	keys, err := signingKeys(os.Getenv("SIGNING_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("waiting for deliveries at http://%s/hook\n", listener.Addr())
	check := verifier{keys: keys, acceptUntimed: os.Getenv("ACCEPT_UNTIMED") == "1", now: time.Now}
	server := &http.Server{Handler: routes(check, newMemory()), ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

func routes(check verifier, taken *memory) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/hook", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "POST /hook", http.StatusMethodNotAllowed)
			return
		}
		kind, err := receive(check, taken, w, r)
		var no refusal
		if errors.As(err, &no) {
			fmt.Println("refused:", no.why)
			http.Error(w, "refused", no.status)
			return
		}
		if err != nil {
			// A 500, so that the delivery comes again.
			fmt.Println("failed:", err)
			http.Error(w, "failed", http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, kind)
	})
	mux.HandleFunc("/blocks", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(taken.chain())
	})
	return mux
}

// receive answers "taken", "repeat" or "stale": in all three cases there is nothing to send again.
func receive(check verifier, taken *memory, w http.ResponseWriter, r *http.Request) (string, error) {
	// The bytes as they were sent, which are what is signed.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytesMax))
	if err != nil {
		return "", refusal{http.StatusRequestEntityTooLarge, "the body is too large or did not come"}
	}
	if err := check.verify(body, r.Header); err != nil {
		return "", err
	}
	delivery, err := parse(body)
	if err != nil {
		return "", err
	}
	return taken.take(delivery, handle)
}

// handle is your work. Whatever takes more than 5 seconds belongs into a queue of your own.
func handle(d delivery, isRerun bool) error {
	switch {
	case d.Event.Error != nil:
		fmt.Println("Headgate says:", *d.Event.Error)
	case d.Event.Data.Block.Number == nil:
		fmt.Printf("a result (%s)\n", d.Event.SequenceNumber)
	default:
		again := ""
		if isRerun {
			again = " again"
		}
		block := d.Event.Data.Block
		fmt.Printf("block %d%s: %s (%s)\n", *block.Number, again, block.Hash, d.Event.SequenceNumber)
	}
	return nil
}

func signingKeys(text string) ([]string, error) {
	keys := strings.Split(text, ",")
	for _, key := range keys {
		if !strings.HasPrefix(key, "whsec_") {
			return nil, errors.New("SIGNING_KEY=whsec_… is missing")
		}
	}
	return keys, nil
}
