import type { App, BodyOf } from '@headgate/client'
import { callApi } from '../../api/call-api.ts'
import { invalidate, patchAnswers } from '../../api/use-call.ts'
import { changeAtOnce } from '../../shell/change-at-once.ts'

export function showApp(app: App): void {
  patchAnswers('getApp', (answer) => (answer.data.id === app.id ? { data: app } : answer))
  patchAnswers('listApps', ({ data }) => ({
    data: data.map((one) => (one.id === app.id ? app : one)),
  }))
}

/** An inactive app's key is refused; it can be taken back. */
export function switchApp(app: App): Promise<void> {
  const { name, is_active: isActive } = app
  return changeAtOnce({
    from: isActive,
    to: !isActive,
    show: (value) => showApp({ ...app, is_active: value }),
    send: (value) => sendChange(app.id, { is_active: value }),
    said: isActive
      ? `${name} is inactive. Its key gets 403.`
      : `${name} is active. Its key works again.`,
  })
}

export function switchNetwork(app: App, network: string): Promise<void> {
  const { networks, name } = app
  const isOpen = networks.includes(network)
  return changeAtOnce({
    from: networks,
    to: isOpen ? networks.filter((id) => id !== network) : [...networks, network],
    show: (value) => showApp({ ...app, networks: value }),
    send: (value) => sendChange(app.id, { networks: value }),
    said: isOpen ? `${network} is closed to ${name}` : `${network} is open to ${name}`,
  })
}

type AppChange = NonNullable<BodyOf<'changeApp'>>

/** The answer has the addresses of networks that were opened. */
export async function sendChange(id: string, change: AppChange): Promise<void> {
  const { data } = await callApi('changeApp', { parameters: { id }, body: change })
  showApp(data)
  invalidate('listApps')
}
