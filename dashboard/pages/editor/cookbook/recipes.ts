import { ACCOUNT_RECIPES } from './account-recipes.ts'
import { MARKET_RECIPES } from './market-recipes.ts'
import { PROTOCOL_RECIPES } from './protocol-recipes.ts'
import type { Recipe } from './recipe.ts'
import { TOKEN_RECIPES } from './token-recipes.ts'

type RecipeGroup = { title: string; recipes: readonly Recipe[] }

/** The cookbook: the templates of the editor, and a page of the manual. */
export const RECIPE_GROUPS: readonly RecipeGroup[] = [
  { title: 'Tokens', recipes: TOKEN_RECIPES },
  { title: 'Addresses and contracts', recipes: ACCOUNT_RECIPES },
  { title: 'Markets', recipes: MARKET_RECIPES },
  { title: 'Protocols and the chain', recipes: PROTOCOL_RECIPES },
]

export const RECIPES: readonly Recipe[] = RECIPE_GROUPS.flatMap(({ recipes }) => recipes)
