"""Imports every module of a generated client, makes calls with it, and prints the results as JSON.

    use_generated_client.py <folder of the client> <URL> <token>
"""

import importlib
import json
import pkgutil
import sys

folder, url, token = sys.argv[1:]
sys.path.insert(0, folder)

import headgate_client  # noqa: E402


def fail(name: str) -> None:
    raise ImportError(name)


packages = pkgutil.walk_packages(headgate_client.__path__, "headgate_client.", onerror=fail)
modules = [importlib.import_module(found.name) for found in packages]
calls = [module.__name__.split(".")[-1] for module in modules if hasattr(module, "sync_detailed")]

from headgate_client.api.apps import create_app, list_apps  # noqa: E402
from headgate_client.api.json_rpc import call_by_path  # noqa: E402
from headgate_client.api.webhooks import create_webhook, list_webhooks, test_query  # noqa: E402
from headgate_client.models import NewApp, NewWebhook, RpcRequest, TestQuery  # noqa: E402

client = headgate_client.AuthenticatedClient(
    base_url=url, token=token, prefix="", auth_header_name="X-Service-Token"
)
created = create_app.sync(
    client=client, body=NewApp.from_dict({"name": "Python", "networks": ["ETH_DEVNET"]})
)
apps = list_apps.sync(client=client)
asked = {"network": "ETH_DEVNET", "graphql_query": "{ block { number } }"}
query = test_query.sync(client=client, body=TestQuery.from_dict({**asked, "block": 1}))
webhook = {**asked, "webhook_type": "GRAPHQL", "webhook_url": f"{url}/inbox/python"}
create_webhook.sync(client=client, body=NewWebhook.from_dict(webhook))
webhooks = list_webhooks.sync(client=client)
request = {"jsonrpc": "2.0", "id": 7, "method": "eth_getBlockByNumber", "params": ["0x1", False]}
reply = call_by_path.sync(
    network="eth-devnet", key=created.data.key, client=client, body=RpcRequest.from_dict(request)
)

print(
    json.dumps(
        {
            "calls": sorted(calls),
            "apps": [app.name for app in apps.data],
            "webhooks": webhooks.to_dict(),
            "query": query.to_dict(),
            "reply": {"id": reply.id, "number": reply.result["number"]},
        }
    )
)
