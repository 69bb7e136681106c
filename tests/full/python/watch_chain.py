"""Reads a chain with web3.py as it is by default, and prints what it saw as JSON.

    watch_chain.py <WebSocket URL> <how many blocks and logs to wait for>
"""

import asyncio
import json
import sys

from web3 import AsyncWeb3, WebSocketProvider


async def watch(url: str, wanted: int) -> dict:
    async with AsyncWeb3(WebSocketProvider(url)) as w3:
        block_number = await w3.eth.block_number
        async with w3.batch_requests() as batch:
            batch.add(w3.eth.chain_id)
            batch.add(w3.eth.get_block(block_number))
            chain_id, block = await batch.async_execute()

        heads_id = await w3.eth.subscribe("newHeads")
        await w3.eth.subscribe("logs", {})
        heads, logs = [], []
        async for message in w3.socket.process_subscriptions():
            is_head = message["subscription"] == heads_id
            (heads if is_head else logs).append(message["result"])
            if len(heads) >= wanted and len(logs) >= wanted:
                break

        return {
            "block_number": block_number,
            "chain_id": chain_id,
            "batched_number": block["number"],
            "heads": [{"number": head["number"], "hash": head["hash"].to_0x_hex()} for head in heads],
            "logs": [
                {"blockHash": log["blockHash"].to_0x_hex(), "logIndex": log["logIndex"]}
                for log in logs
            ],
        }


print(json.dumps(asyncio.run(watch(sys.argv[1], int(sys.argv[2])))))
