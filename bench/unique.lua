local serial = os.time() * 1000000
local headers = { ["content-type"] = "application/json" }
request = function()
  serial = serial + 1
  local address = string.format("%040x", serial)
  return wrk.format("POST", nil, headers, '{"jsonrpc":"2.0","id":' .. string.format("%d", serial)
    .. ',"method":"eth_getBalance","params":["0x' .. address .. '","latest"]}')
end
