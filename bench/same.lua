wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x0000000000000000000000000000000000000001","latest"]}'
