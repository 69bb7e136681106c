import { openRpcRoute, type RpcRouteNeeds } from '../../http/rpc/rpc-route.ts'
import type { Routes } from '../../http/server.ts'
import { openRpcNeeds } from '../rpc-needs.ts'
import type { RpcInputs } from '../service-inputs.ts'
import { openWebSockets } from './web-sockets.ts'

type Inputs = RpcInputs & Parameters<typeof openWebSockets>[0]

export type RpcEndpoints = {
  needs: RpcRouteNeeds
  /** The routes over HTTP and over WebSocket. */
  open(): Pick<Routes, 'rpc' | 'webSockets'>
}

/** Puts together what JSON-RPC is served with, and opens its endpoints when asked to. */
export function openRpcEndpoints(
  inputs: Inputs,
  local: RpcRouteNeeds['local'],
  opened: AsyncDisposableStack,
): RpcEndpoints {
  const needs = openRpcNeeds(inputs, local, opened)
  return {
    needs,
    open: () => ({
      rpc: openRpcRoute(needs),
      webSockets: openWebSockets(inputs, needs, opened),
    }),
  }
}
