// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

interface Card {
    function ownerOf(uint256 tokenId) external view returns (address);
    function transferFrom(address from, address to, uint256 tokenId) external;
}

/// Sells a card to whoever sends ether: nine tenths and more go to its owner. Owners that let
/// this contract move their cards offer all of them. Its event is that of Seaport.
contract Market {
    struct Offer {
        uint8 itemType;
        address token;
        uint256 identifier;
        uint256 amount;
    }

    struct Payment {
        uint8 itemType;
        address token;
        uint256 identifier;
        uint256 amount;
        address payable recipient;
    }

    event OrderFulfilled(
        bytes32 orderHash,
        address indexed offerer,
        address indexed zone,
        address recipient,
        Offer[] offer,
        Payment[] consideration
    );

    uint8 private constant NATIVE = 0;
    uint8 private constant ERC721 = 2;

    uint256 private orders;

    function buy(Card collection, uint256 tokenId) external payable {
        require(msg.value > 0, "Market: nothing is free");
        address payable seller = payable(collection.ownerOf(tokenId));
        uint256 fee = msg.value / 40;
        collection.transferFrom(seller, msg.sender, tokenId);
        (bool isPaid, ) = seller.call{value: msg.value - fee}("");
        require(isPaid, "Market: seller takes no ether");

        Offer[] memory offer = new Offer[](1);
        offer[0] = Offer(ERC721, address(collection), tokenId, 1);
        Payment[] memory paid = new Payment[](2);
        paid[0] = Payment(NATIVE, address(0), 0, msg.value - fee, seller);
        paid[1] = Payment(NATIVE, address(0), 0, fee, payable(address(this)));
        bytes32 order = keccak256(abi.encode(++orders, collection, tokenId));
        emit OrderFulfilled(order, seller, address(0), msg.sender, offer, paid);
    }
}
