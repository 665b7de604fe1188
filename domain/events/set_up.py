"""What can happen in the set-up (R2)."""

from domain import terms
from domain.board import RegionTile
from domain.events.told import Told, Unplayed
from domain.options import Options


class GameStarted(Unplayed, frozen=True):
    """The game began, with everything its course depends on: options, players, seed and rules version.

    ``tiles`` are the region tiles of the expansion that were there to draw from (R12.1).
    """

    rules: terms.RulesVersion
    players: int
    seed: terms.Seed
    options: Options
    tiles: tuple[RegionTile, ...] = ()


class FirstPlayerChosen(Told, frozen=True):
    """Who begins, and whether that was drawn with the seed or named by the host (R2.1)."""

    seat: int
    drawn: terms.Drawn


class RegionsClosed(Unplayed, frozen=True):
    """These regions are out of play (R2.2)."""

    regions: tuple[str, ...]


class RegionTilesDrawn(Unplayed, frozen=True):
    """Which ten region tiles are in the game, in the order drawn, and with which seed (R12.1)."""

    seed: terms.Seed
    tiles: tuple[RegionTile, ...]


class CityTilesLaid(Unplayed, frozen=True):
    """The city tiles lie on these cities; with a seed where they were drawn (R2.6)."""

    tiles: terms.CityTiles
    seed: terms.SeedIfDrawn = None


class RegionTilesLaid(Unplayed, frozen=True):
    """The region tiles lie on these regions; with a seed where they were dealt (R2.6, R12.1)."""

    tiles: dict[str, RegionTile]
    seed: terms.SeedIfDrawn = None


class TrackFilled(Unplayed, frozen=True):
    """These region tiles fill the first spaces of the region track (R2.2)."""

    tiles: tuple[RegionTile, ...]


class TilesPooled(Unplayed, frozen=True):
    """These city and region tiles are there for the players to lay (R2.6)."""

    city_tiles: terms.PooledCityTiles
    region_tiles: tuple[RegionTile, ...]


class CityTilePlaced(Told, frozen=True):
    """A player laid a city tile (R2.6)."""

    seat: int
    city: terms.CityId
    value: terms.CityTile


class RegionTilePlaced(Told, frozen=True):
    """A player laid a region tile (R2.6)."""

    seat: int
    region: terms.RegionId
    tile: RegionTile


class BonusTilesDealt(Unplayed, frozen=True):
    """Every player has that many bonus tiles (R2.5)."""

    each: terms.BonusTilesEach


class MilestonesDrawn(Unplayed, frozen=True):
    """The milestones of this game, drawn with the seed, and the bonus tiles each player has in reserve (R10.1)."""

    seed: terms.Seed
    milestones: tuple[terms.MilestoneId, ...]
    reserve: terms.Reserve


class PhaseBegan(Told, frozen=True):
    """It is this player's decision now."""

    phase: terms.DecidingPhase
    seat: int


class TownFounded(Told, frozen=True):
    """A first franchise was put on a town: chosen by the player (R2.3) or fixed (R2.4)."""

    seat: int
    town: terms.TownId
    fixed: terms.Fixed = False


class StartingMoneyReceived(Told, frozen=True):
    """A player got the starting money of their place in the turn order, counted from 1 (R2.3)."""

    seat: int
    order: terms.TurnOrder
    dollars: terms.Dollars
