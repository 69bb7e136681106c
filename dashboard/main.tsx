import { render } from 'preact'
import { startShortcuts } from './shell/keys/shortcuts.ts'
import { startRouter } from './shell/routing/router.ts'
import { Shell } from './shell/shell.tsx'

startRouter()
startShortcuts()
render(<Shell />, document.body)
