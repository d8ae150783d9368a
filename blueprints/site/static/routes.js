// The pages and their addresses. The server answers all of them with the same document (PAGES in ../routes.py).
//
//   path       `:id` is a part that the page gets as the parameter `id`
//   module     its file in pages/, which is loaded when the page is opened
//   heading    its heading, if it differs from the title
//   focus      what has the focus after the page was opened, the heading if this is missing
//   isGame     the wheel or the reel is beside the page
//   needs      what a guest should sign in for: the page is for players only

export const routes = [
  { path: "/", title: "Upgrader", module: "upgrader", heading: "Items", isGame: true },
  { path: "/cases", title: "Cases", module: "cases", isGame: true },
  { path: "/new-case", title: "New case", module: "new-case", needs: "create a case" },
  { path: "/cases/:id", title: "Case", module: "cases", heading: "Cases", focus: "#game-title", isGame: true },
  { path: "/battles", title: "Battles", module: "battles" },
  { path: "/new-battle", title: "New battle", module: "new-battle", needs: "create a battle" },
  { path: "/battles/:id", title: "Battle", module: "battle" },
  { path: "/rewards", title: "Rewards", module: "rewards" },
  { path: "/live", title: "Live bets", module: "live", isGame: true },
  { path: "/ranking", title: "Ranking", module: "ranking", isGame: true },
  { path: "/fair", title: "Fair", module: "fair", heading: "How a bet is decided" },
  { path: "/public-log", title: "Public log", module: "public-log", heading: "The public log of bets" },
  { path: "/account", title: "Account", module: "account", needs: "see your account" },
  { path: "/account/cashier", title: "Cashier", module: "cashier", needs: "deposit and withdraw" },
  { path: "/account/payments", title: "Payments", module: "payments", needs: "see your payments" },
  { path: "/account/bets", title: "Bets", module: "bets", needs: "see your bets" },
  { path: "/account/prizes", title: "Prizes", module: "prizes", needs: "see your prizes" },
  { path: "/account/vault", title: "Vault", module: "vault", needs: "see your vault" },
  { path: "/account/referrals", title: "Referrals", module: "referrals", needs: "see your promo code" },
  { path: "/account/notifications", title: "Notifications", module: "notifications", needs: "see your notifications" },
  { path: "/account/profile", title: "Profile", module: "profile", needs: "see your profile" },
  { path: "/account/details", title: "Personal details", module: "details", needs: "see your details" },
  { path: "/account/limits", title: "Limits and breaks", module: "limits", needs: "see your limits" },
  { path: "/account/security", title: "Security", module: "security", needs: "see your account" },
];

export const loadPage = ({ module }) => import(`./pages/${module}.js`);

/** The route of a path and its parameters: `{ route, params }`; without a route for an address that is no page. */
export function findRoute(path) {
  for (const route of routes) {
    const match = new RegExp(`^${route.path.replace(":id", "([^/]+)")}$`).exec(path);
    if (match) return { route, params: match[1] ? { id: decodeURIComponent(match[1]) } : {} };
  }
  return {};
}
