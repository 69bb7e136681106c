import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { MOD_KEY } from './mod-key.ts'
import { listShortcuts, useShortcuts } from './shortcuts.ts'

export function ShortcutList() {
  const [isOpen, setOpen] = useState(false)
  useShortcuts([{ keys: '?', does: 'List the keys', run: () => setOpen(true) }])
  if (!isOpen) return null
  const shown = listShortcuts().filter(({ does }) => does)
  return (
    <Dialog title="Keys" onClose={() => setOpen(false)}>
      <dl class="kv">
        {shown.map(({ keys, does }) => [
          <dt key={keys}>
            {keys.split(' ').map((key) => (
              <kbd key={key}>{keyText(key)}</kbd>
            ))}
          </dt>,
          <dd key={`${keys} does`}>{does}</dd>,
        ])}
      </dl>
    </Dialog>
  )
}

function keyText(key: string): string {
  return key.startsWith('mod+') ? `${MOD_KEY}${key.slice(4).toUpperCase()}` : key.toUpperCase()
}
