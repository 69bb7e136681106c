// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// A collection (ERC-721) of the development chain. Anybody may mint into it.
contract Collection {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    string public constant name = "Headgate Postcards";
    string public constant symbol = "CARD";

    uint256 public totalSupply;
    mapping(uint256 => address) private owners;
    mapping(uint256 => address) public getApproved;
    mapping(address => mapping(address => bool)) public isApprovedForAll;
    /// The ids of each owner, and where an id stands among those of its owner.
    mapping(address => uint256[]) private ids;
    mapping(uint256 => uint256) private places;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return ids[owner].length;
    }

    function ownerOf(uint256 tokenId) public view returns (address owner) {
        owner = owners[tokenId];
        require(owner != address(0), "Collection: no such card");
    }

    function tokenOfOwnerByIndex(address owner, uint256 place) external view returns (uint256) {
        return ids[owner][place];
    }

    function mint(address to) external returns (uint256 tokenId) {
        tokenId = ++totalSupply;
        put(tokenId, to);
        emit Transfer(address(0), to, tokenId);
    }

    function approve(address approved, uint256 tokenId) external {
        require(ownerOf(tokenId) == msg.sender, "Collection: not yours");
        getApproved[tokenId] = approved;
        emit Approval(msg.sender, approved, tokenId);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        require(ownerOf(tokenId) == from && to != address(0), "Collection: wrong owner");
        bool isAllowed = msg.sender == from ||
            isApprovedForAll[from][msg.sender] ||
            getApproved[tokenId] == msg.sender;
        require(isAllowed, "Collection: not yours");
        delete getApproved[tokenId];
        take(tokenId, from);
        put(tokenId, to);
        emit Transfer(from, to, tokenId);
    }

    function put(uint256 tokenId, address to) private {
        owners[tokenId] = to;
        places[tokenId] = ids[to].length;
        ids[to].push(tokenId);
    }

    /// The last one of the owner moves to the place that becomes free.
    function take(uint256 tokenId, address from) private {
        uint256[] storage list = ids[from];
        uint256 last = list[list.length - 1];
        list[places[tokenId]] = last;
        places[last] = places[tokenId];
        list.pop();
    }
}
